//! Cliffs that users reported of other libraries' copies, as facts about this one's plans: what is
//! near in shape is planned alike, and nothing that has a vector kernel falls to scalar loops.

use restride::machine::Isa;
use restride::{
    CopySpec, Layout, LayoutError, Plan, PlanOptions, View, ViewMut, contiguous_in_order, copy,
};

/// The plan, on each tier of this machine, of making `view` dense.
fn plans(view: &Layout, elem: usize) -> Vec<Plan> {
    let spec = CopySpec::to_contiguous(view, elem).unwrap();
    let tiers = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    tiers
        .map(|isa| {
            Plan::new(&spec, &PlanOptions { isa: Some(isa), ..PlanOptions::serial() }).unwrap()
        })
        .collect()
}

#[track_caller]
fn all_run(view: &Layout, elem: usize, family: &str) {
    for plan in plans(view, elem) {
        assert!(plan.kernel().starts_with(family), "{view:?}\n{plan}");
    }
}

fn dense(shape: &[usize]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

mod shapes {
    use super::*;

    #[test]
    fn powers_of_two_and_their_neighbours_are_transposed_by_one_kernel() {
        for n in [1023, 1024, 1025, 4095, 4096, 4097] {
            all_run(&dense(&[n, n]).t(), 4, "transpose_u32_");
        }
    }

    #[test]
    fn tall_and_wide_attention_and_batched_matrices_are_tiled() {
        for (elem, family) in [
            (1, "transpose_u8_"),
            (2, "transpose_u16_"),
            (4, "transpose_u32_"),
            (8, "transpose_u64_"),
        ] {
            for [rows, columns] in [[1 << 22, 256], [256, 1 << 22], [2048, 128], [100_000, 5000]] {
                all_run(&dense(&[rows, columns]).t(), elem, family);
            }
            all_run(&dense(&[8, 2048, 256]).transpose(1, 2).unwrap(), elem, family);
            all_run(&dense(&[56, 256, 256]).permute(&[1, 2, 0]).unwrap(), elem, family);
        }
        all_run(&dense(&[300, 300]).t(), 16, "transpose_u128_");
    }

    #[test]
    fn any_number_of_small_axes_is_tiled() {
        all_run(&dense(&[2; 22]).t(), 8, "transpose_u64_");
        all_run(&dense(&[10; 8]).t(), 8, "transpose_u64_");
        all_run(&dense(&[3; 13]).t(), 4, "transpose_u32_");
    }

    #[test]
    fn whole_rows_in_another_order_are_copied_as_rows() {
        all_run(&dense(&[2048, 2048]).flip(&[0]).unwrap(), 4, "rows_");
        all_run(&dense(&[64, 32, 1024]).permute(&[1, 0, 2]).unwrap(), 4, "rows_");
    }

    #[test]
    fn a_reversed_row_is_not_walked_element_by_element() {
        all_run(&dense(&[2048, 2048]).flip(&[1]).unwrap(), 4, "reverse_u32_");
    }
}

mod axes {
    use super::*;

    #[test]
    fn unit_axes_change_no_plan() {
        let matrix = dense(&[1000, 300]).t();
        for at in 0..=2 {
            let more = matrix.unsqueeze(at).unwrap();
            for (plan, with_unit_axis) in plans(&matrix, 4).iter().zip(plans(&more, 4)) {
                assert_eq!(plan.to_string(), with_unit_axis.to_string());
            }
        }
    }

    #[test]
    fn axes_that_stay_together_become_one() {
        let twelve = dense(&[2; 12]);
        let swapped: Vec<isize> = (6..12).chain(0..6).collect();
        for plan in plans(&twelve.permute(&swapped).unwrap(), 4) {
            assert_eq!(plan.normalized().axes.len(), 2, "{plan}");
        }
        let batches = dense(&[2, 3, 4, 5, 6]).permute(&[0, 1, 4, 2, 3]).unwrap();
        for plan in plans(&batches, 4) {
            assert_eq!(plan.normalized().axes.len(), 3, "{plan}");
        }
    }

    #[test]
    fn a_matrix_of_one_row_is_a_single_run_either_way() {
        for shape in [[1, 1 << 20], [1 << 20, 1]] {
            for plan in plans(&dense(&shape).t(), 4) {
                assert_eq!(plan.normalized().axes.len(), 0, "{plan}");
            }
        }
    }
}

mod order_in_memory {
    use super::*;

    #[test]
    fn every_order_of_the_axes_can_be_asked_for_and_the_shape_stays() {
        let shape = [3, 1, 4, 2];
        let data: Vec<u32> = (0..24).collect();
        let view = dense(&[2, 4, 3]).t().unsqueeze(1).unwrap();
        assert_eq!(view.shape(), shape);
        let axes = [0, 1, 2, 3];
        for code in 0..256isize {
            let order = axes.map(|place| code >> (2 * place) & 3);
            let layout = Layout::dense_in_order(&shape, &order);
            assert_eq!(layout.is_ok(), axes.iter().all(|axis| order.contains(axis)), "{order:?}");
            let Ok(layout) = layout else { continue };
            assert_eq!((layout.shape(), layout.required_len()), (&shape[..], 24));
            assert!(layout.permute(&order).unwrap().is_contiguous());

            let ordered = contiguous_in_order(&view, &data, &order).unwrap();
            let mut copied = vec![0; 24];
            let dst = ViewMut::new(layout, &mut copied).unwrap();
            copy(&View::new(view.clone(), &data).unwrap(), dst).unwrap();
            assert_eq!(ordered, copied, "{order:?}");
        }
    }

    #[test]
    fn orders_that_are_none_are_errors() {
        let ask = |order: &[isize]| Layout::dense_in_order(&[2, 3], order);
        assert_eq!(ask(&[-1, -2]).unwrap().strides(), [1, 2]);
        assert!(matches!(ask(&[0]), Err(LayoutError::WrongCount { given: 1, needed: 2, .. })));
        assert!(matches!(ask(&[0, 2]), Err(LayoutError::NoSuchAxis { axis: 2, rank: 2 })));
        assert!(matches!(ask(&[1, -1]), Err(LayoutError::RepeatedAxis { axis: 1 })));
        assert!(matches!(
            Layout::dense_in_order(&[usize::MAX, 2], &[0, 1]),
            Err(LayoutError::Overflow { .. })
        ));
        assert!(contiguous_in_order(&dense(&[2, 3]), &[0u8; 6], &[0, 0]).is_err());
    }
}

//! The layout algebra over random layouts, against index arithmetic done the slow way.

use proptest::collection::vec;
use proptest::prelude::*;
use restride::Layout;
use restride::layout::overlap::{self_overlap, share_element};
use restride::layout::{IndexItem, MAX_RANK, MemoryFormat, Reshaped};

const STORAGE: usize = 400;

/// Layouts with sizes up to 4 and strides up to 8 of either sign, unit and empty axes included.
fn layouts() -> impl Strategy<Value = Layout> {
    let size = prop_oneof![1 => Just(0), 4 => Just(1usize), 8 => 2..5usize];
    let gappy = vec((size.clone(), -8..9isize), 0..5).prop_map(|axes| {
        let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
        Layout::from_parts(&shape, &strides, 200, STORAGE).unwrap()
    });
    let dense = (vec(size, 0..5), any::<u64>()).prop_map(|(shape, seed)| {
        let dense = Layout::contiguous(&shape).unwrap();
        let rank = shape.len();
        // Mostly dense layouts with two axes swapped, flipped or sliced are the viewable ones.
        match (rank, seed % 4) {
            (0, _) | (_, 0) => dense,
            (_, 1) => dense.transpose((seed as usize / 4 % rank) as isize, -1).unwrap(),
            (_, 2) => dense.flip(&[(seed as usize / 4 % rank) as isize]).unwrap(),
            _ => dense.slice((seed as usize / 4 % rank) as isize, None, None, 2).unwrap(),
        }
    });
    prop_oneof![gappy, dense]
}

/// A layout and a shape of as many elements.
fn layouts_and_shapes() -> impl Strategy<Value = (Layout, Vec<isize>)> {
    (layouts(), vec(1..7usize, 0..5), any::<prop::sample::Index>()).prop_map(
        |(layout, cuts, at)| {
            let mut left = layout.numel();
            let mut shape = Vec::new();
            for cut in cuts {
                if left > 0 && left % cut == 0 {
                    shape.push(cut as isize);
                    left /= cut;
                }
            }
            shape.insert(at.index(shape.len() + 1), left as isize);
            (layout, shape)
        },
    )
}

/// The storage element of index `index`, the slow way.
fn element(layout: &Layout, index: &[usize]) -> usize {
    let steps = index.iter().zip(layout.strides()).map(|(&i, &s)| i as isize * s);
    (layout.offset() as isize + steps.sum::<isize>()) as usize
}

/// Every index of `shape`, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |outer, &size| {
        let longer = |head: Vec<usize>| (0..size).map(move |i| [&head[..], &[i]].concat());
        outer.into_iter().flat_map(longer).collect()
    })
}

/// Checks that element `index` of `result` is element `source_index(index)` of `source`.
fn check_map(
    source: &Layout,
    result: &Layout,
    source_index: impl Fn(&[usize]) -> Vec<usize>,
) -> Result<(), TestCaseError> {
    for index in indices(result.shape()) {
        let expected = element(source, &source_index(&index));
        prop_assert_eq!(element(result, &index), expected, "{:?} of {:?}", index, result);
    }
    Ok(())
}

/// The strides of `shape` over the storage elements `order`, by brute force.
fn strides_by_brute_force(order: &[usize], shape: &[usize]) -> Option<Vec<isize>> {
    let indices = indices(shape);
    let strides: Vec<isize> = (0..shape.len())
        .map(|axis| {
            let next = indices.iter().position(|i| i.iter().sum::<usize>() == 1 && i[axis] == 1);
            next.map_or(0, |next| order[next] as isize - order[0] as isize)
        })
        .collect();
    let first = order.first().map_or(0, |&first| first as isize);
    let fits = indices.iter().zip(order).all(|(index, &element)| {
        let steps = index.iter().zip(&strides).map(|(&i, &s)| i as isize * s);
        first + steps.sum::<isize>() == element as isize
    });
    fits.then_some(strides)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn view_exists_exactly_when_strides_do((layout, shape) in layouts_and_shapes()) {
        let order: Vec<_> = layout.storage_order().collect();
        let sizes: Vec<_> = shape.iter().map(|&s| s as usize).collect();
        match layout.view(&shape) {
            Ok(view) => {
                prop_assert_eq!(view.storage_order().collect::<Vec<_>>(), order);
                prop_assert_eq!(view.shape(), &sizes[..]);
                prop_assert!(!layout.reshape(&shape).unwrap().is_copy());
            }
            Err(error) => {
                prop_assert_eq!(error.kind().as_str(), "not_viewable");
                prop_assert_eq!(strides_by_brute_force(&order, &sizes), None, "{}", error);
                let Reshaped::Copy(dense) = layout.reshape(&shape).unwrap() else {
                    panic!("a refused view reshaped without a copy");
                };
                prop_assert!(dense.is_contiguous());
                prop_assert_eq!(dense, Layout::contiguous(&sizes).unwrap());
            }
        }
    }

    #[test]
    fn refusal_names_two_axes_that_do_not_continue_each_other(
        (layout, shape) in layouts_and_shapes()
    ) {
        if let Err(restride::LayoutError::NotViewable { outer, inner, .. }) = layout.view(&shape) {
            prop_assert!(outer < inner);
            let (sizes, strides) = (layout.shape(), layout.strides());
            prop_assert!(sizes[outer] > 1 && sizes[inner] > 1);
            prop_assert!(sizes[outer + 1..inner].iter().all(|&size| size == 1));
            prop_assert_ne!(strides[outer], strides[inner] * sizes[inner] as isize);
        }
    }

    #[test]
    fn reach_bounds_the_order(layout in layouts()) {
        let order: Vec<_> = layout.storage_order().collect();
        let expected: Vec<_> = indices(layout.shape()).iter().map(|i| element(&layout, i)).collect();
        prop_assert_eq!(&order, &expected);
        prop_assert_eq!(layout.storage_order().len(), layout.numel());
        let bounds = order.iter().min().copied().zip(order.iter().max().copied());
        prop_assert_eq!(layout.reach(), bounds);
        prop_assert_eq!(layout.required_len(), bounds.map_or(0, |(_, high)| high + 1));
    }

    #[test]
    fn contiguity_is_what_the_order_says(layout in layouts()) {
        let order: Vec<_> = layout.storage_order().collect();
        let dense = order.windows(2).all(|pair| pair[1] == pair[0] + 1);
        prop_assert_eq!(layout.is_contiguous(), dense);
        let reversed: Vec<_> = layout.t().storage_order().collect();
        prop_assert_eq!(layout.is_column_major(), reversed.windows(2).all(|p| p[1] == p[0] + 1));
        if layout.is_dense_in_some_order() {
            let mut sorted = order;
            sorted.sort_unstable();
            prop_assert!(sorted.windows(2).all(|pair| pair[1] == pair[0] + 1));
        }
    }

    #[test]
    fn copies_in_every_memory_format_are_dense(layout in layouts()) {
        for format in [
            MemoryFormat::Contiguous,
            MemoryFormat::ChannelsLast,
            MemoryFormat::ChannelsLast3d,
            MemoryFormat::Preserve,
        ] {
            if let Ok(dense) = layout.dense_in(format) {
                prop_assert_eq!(dense.shape(), layout.shape());
                prop_assert_eq!(dense.required_len(), layout.numel());
                prop_assert!(dense.is_dense_in_some_order());
            }
        }
    }

    #[test]
    fn rearranged_axes_keep_every_element(layout in layouts(), seed in any::<[u8; 8]>()) {
        let rank = layout.rank();
        if rank == 0 {
            return Ok(());
        }
        let (a, b) = (seed[0] as usize % rank, seed[1] as usize % rank);
        let (sa, sb) = (a as isize, b as isize - rank as isize);

        let swapped = layout.transpose(sa, sb).unwrap();
        check_map(&layout, &swapped, |i| { let mut i = i.to_vec(); i.swap(a, b); i })?;
        check_map(&layout, &layout.t(), |i| i.iter().rev().copied().collect())?;

        let moved = layout.movedim(&[sa], &[sb]).unwrap();
        check_map(&layout, &moved, |i| { let mut i = i.to_vec(); let x = i.remove(b); i.insert(a, x); i })?;

        let flipped = layout.flip(&[sa]).unwrap();
        check_map(&layout, &flipped, |i| {
            let mut i = i.to_vec();
            i[a] = layout.shape()[a] - 1 - i[a];
            i
        })?;
        let grown = layout.unsqueeze(sa).unwrap();
        check_map(&layout, &grown, |i| { let mut i = i.to_vec(); i.remove(a); i })?;
        prop_assert_eq!(&grown.squeeze_dims(&[sa]).unwrap(), &layout);
        prop_assert_eq!(layout.squeeze().numel(), layout.numel());
        prop_assert!(!layout.squeeze().shape().contains(&1));
    }

    #[test]
    fn diagonal_pairs_the_indices_of_two_axes(
        layout in layouts(), a in 0..5isize, b in 0..5isize, offset in -5..6isize
    ) {
        let rank = layout.rank() as isize;
        let valid = a < rank && b < rank && a != b;
        prop_assert_eq!(layout.diagonal(offset, a, b).is_ok(), valid);
        if let Ok(diagonal) = layout.diagonal(offset, a, b) {
            let (a, b) = (a as usize, b as usize);
            let len = (0..layout.shape()[a])
                .filter(|&i| (0..layout.shape()[b] as isize).contains(&(i as isize + offset)))
                .count();
            prop_assert_eq!(*diagonal.shape().last().unwrap(), len);
            check_map(&layout, &diagonal, |i| {
                let (k, rest) = i.split_last().unwrap();
                let mut i = rest.to_vec();
                let at = |axis| if axis == a { k + (-offset).max(0) as usize } else { k + offset.max(0) as usize };
                i.insert(a.min(b), at(a.min(b)));
                i.insert(a.max(b), at(a.max(b)));
                i
            })?;
        }
    }

    #[test]
    fn windows_start_every_step(layout in layouts(), axis in 0..4usize, size in 0..5isize, step in 1..4isize) {
        if axis >= layout.rank() {
            return Ok(());
        }
        let available = layout.shape()[axis] as isize;
        let windows = layout.unfold(axis as isize, size, step);
        prop_assert_eq!(windows.is_ok(), size <= available);
        if let Ok(windows) = windows {
            prop_assert_eq!(windows.shape()[axis] as isize, (available - size) / step + 1);
            check_map(&layout, &windows, |i| {
                let (within, rest) = i.split_last().unwrap();
                let mut i = rest.to_vec();
                i[axis] = i[axis] * step as usize + within;
                i
            })?;
        }
    }

    #[test]
    fn unflatten_undoes_flatten(layout in layouts()) {
        if layout.rank() < 2 {
            return Ok(());
        }
        let sizes: Vec<_> = layout.shape()[..2].iter().map(|&s| s as isize).collect();
        if let Reshaped::View(flat) = layout.flatten(0, 1).unwrap() {
            let split = flat.unflatten(0, &sizes).unwrap();
            prop_assert_eq!(split.shape(), layout.shape());
            prop_assert!(split.storage_order().eq(layout.storage_order()));
        }
    }
}

/// Numbers at which arithmetic breaks, among ordinary ones.
fn hostile() -> impl Strategy<Value = isize> {
    prop_oneof![
        6 => -3..6isize,
        1 => any::<isize>(),
        3 => prop::sample::select(vec![
            isize::MIN, isize::MIN + 1, isize::MAX, isize::MAX - 1,
            1 << 31, 1 << 32, 1 << 62, -(1 << 62), -(1 << 32), 1 << 21,
        ]),
    ]
}

/// Layouts that a constructor accepted, with hostile numbers wherever it lets them in.
fn hostile_layouts() -> impl Strategy<Value = Layout> {
    (vec((hostile(), hostile()), 0..7), hostile(), hostile()).prop_filter_map(
        "a layout that can exist",
        |(axes, offset, len)| {
            let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
            let any = Layout::contiguous(&[]).unwrap();
            any.as_strided(&shape, &strides, Some(offset), len.unsigned_abs()).ok()
        },
    )
}

/// What holds for every layout.
fn check_invariants(layout: &Layout) -> Result<(), TestCaseError> {
    prop_assert!(layout.rank() <= MAX_RANK);
    prop_assert!(layout.offset() <= isize::MAX as usize);
    prop_assert_eq!(layout.is_empty(), layout.numel() == 0);
    let again = Layout::from_parts(
        layout.shape(),
        layout.strides(),
        layout.offset(),
        layout.required_len().max(layout.offset()),
    );
    prop_assert_eq!(again.as_ref(), Ok(layout));
    if let Some((low, high)) = layout.reach() {
        prop_assert!(layout.storage_order().take(50).all(|e| (low..=high).contains(&e)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn hostile_numbers_give_values_or_errors_but_no_panic(
        layout in hostile_layouts(),
        n in vec(hostile(), 7),
        axis in -7..7isize,
        other in -7..7isize,
    ) {
        let slice = IndexItem::Slice { start: Some(n[0]), stop: Some(n[1]), step: Some(n[2]) };
        let tail = IndexItem::Slice { start: None, stop: Some(n[3]), step: None };
        let back = IndexItem::Slice { start: Some(n[4]), stop: None, step: Some(n[5]) };
        let results = [
            layout.permute(&[axis, other]),
            layout.permute(&n[..2]),
            layout.transpose(axis, n[0]),
            layout.transpose(axis, other),
            Ok(layout.t()),
            layout.mt(),
            layout.movedim(&[axis], &[other]),
            layout.movedim(&n[..2], &n[2..4]),
            layout.flip(&[axis, other]),
            layout.flip(&[axis]),
            Ok(layout.squeeze()),
            layout.squeeze_dims(&n[..1]),
            layout.unsqueeze(axis),
            layout.unsqueeze(n[0]),
            layout.expand(&n[..3]),
            layout.expand(&[&n[..2], &vec![-1; layout.rank()]].concat()),
            layout.narrow(axis, n[0], n[1]),
            layout.select(axis, n[0]),
            layout.slice(axis, Some(n[0]), Some(n[1]), n[2]),
            layout.slice(axis, None, Some(n[1]), n[2]),
            layout.slice(axis, Some(n[0]), None, n[2]),
            layout.index(&[slice, IndexItem::NewAxis, IndexItem::Ellipsis, tail]),
            layout.index(&[back, IndexItem::Int(n[6]), IndexItem::NewAxis]),
            layout.diagonal(n[0], axis, other),
            layout.unfold(axis, n[0], n[1]),
            layout.as_strided(&n[..2], &n[2..4], Some(n[4]), n[5].unsigned_abs()),
            layout.unflatten(axis, &n[..3]),
            layout.view(&n[..3]),
            layout.view(&[-1]),
            layout.view(&[1, -1, 1]),
            layout.reshape(&n[..2]).map(Reshaped::into_layout),
            layout.flatten(axis, other).map(Reshaped::into_layout),
            Ok(layout.to_contiguous().into_layout()),
            layout.dense_in(MemoryFormat::ChannelsLast),
            layout.dense_in(MemoryFormat::ChannelsLast3d),
            layout.dense_in(MemoryFormat::Preserve),
        ];
        check_invariants(&layout)?;
        self_overlap(&layout);
        share_element(&layout, &layout.t());
        for result in results {
            match result {
                Ok(result) => check_invariants(&result)?,
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn hostile_constructors_give_values_or_errors_but_no_panic(
        shape in vec(hostile(), 0..4),
        strides in vec(hostile(), 0..4),
        offset in hostile(),
        elem in hostile(),
        len in any::<usize>(),
    ) {
        let shape: Vec<usize> = shape.iter().map(|&s| s as usize).collect();
        let built = [
            Layout::contiguous(&shape),
            Layout::column_major(&shape),
            Layout::from_parts(&shape, &strides, offset as usize, len),
            Layout::from_byte_strides(&shape, &strides, offset as usize, elem as usize, len),
        ];
        for layout in built.iter().flatten() {
            check_invariants(layout)?;
        }
    }
}

#[test]
fn the_65th_axis_is_an_error_value() {
    let full = Layout::contiguous(&[1; MAX_RANK]).unwrap();
    let (ones, more) = ([1isize; MAX_RANK], [1isize; MAX_RANK + 1]);
    assert!(full.view(&ones).is_ok() && full.expand(&ones).is_ok());
    let refused = [
        Layout::contiguous(&[1; MAX_RANK + 1]),
        full.unsqueeze(0),
        full.view(&more),
        full.expand(&more),
        full.index(&[IndexItem::NewAxis]),
        full.unfold(0, 1, 1),
        full.unflatten(3, &[1, 1]),
    ];
    for result in refused {
        assert_eq!(result.unwrap_err().kind().as_str(), "unsupported");
    }
}

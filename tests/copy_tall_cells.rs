//! Transposed cells so tall and wide that streaming stores take them in several patches, rows in
//! steps and in tables, destinations that begin anywhere in a line.

mod support;

use restride::machine::Isa;
use restride::{CopySpec, PlanOptions, StorePolicy};
use support::guarded::Against;
use support::random::check;

/// Streaming stores in every tier of this machine.
fn options() -> Vec<PlanOptions> {
    let tiers = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let stores = StorePolicy::Streaming;
    tiers.map(|isa| PlanOptions { stores, isa: Some(isa), ..PlanOptions::serial() }).collect()
}

/// Checks the transposition of `rows` rows of `columns` elements, each row padded in both places by
/// some elements, `batch` times, on buffers that end, and on buffers that begin, at a guard page.
/// Rows with two extents lie in the source as a table says, not in steps.
fn transposes(rows: &[usize], columns: usize, elem: usize, pads: [usize; 2], batch: usize) {
    let pitch = columns + pads[0];
    let count: usize = rows.iter().product();
    let dst_pitch = count + pads[1];
    let (mut shape, mut src, mut dst) =
        (vec![batch], vec![count * pitch], vec![dst_pitch * columns]);
    match *rows {
        [rows] => {
            shape.push(rows);
            src.push(pitch);
            dst.push(1);
        }
        // The outer extent runs fastest in the source.
        [outer, inner] => {
            shape.extend([outer, inner]);
            src.extend([pitch, outer * pitch]);
            dst.extend([inner, 1]);
        }
        _ => unreachable!("rows of one or two extents"),
    }
    shape.push(columns);
    src.push(1);
    dst.push(dst_pitch);
    let bytes =
        |strides: Vec<usize>| strides.into_iter().map(|s| (s * elem) as isize).collect::<Vec<_>>();
    let spec = CopySpec::new(elem, &shape, &bytes(src), &bytes(dst));
    let mut streamed = false;
    for (against, shift) in [(Against::Back, 0), (Against::Front, 16), (Against::Front, 3 * elem)] {
        for plan in check(&spec, &options(), against, shift) {
            streamed |= plan.to_string().contains("streaming");
        }
    }
    assert!(streamed, "{spec:?}");
}

#[test]
fn wide_cells_are_taken_some_rows_at_a_time() {
    for elem in [1, 2, 4, 8, 16] {
        for (rows, row_bytes) in [(3 * 64 + 5, 4096), (200, 4096 + 16), (330, 1040), (1000, 256)] {
            transposes(&[rows], row_bytes / elem, elem, [0, 0], 1);
            transposes(&[rows], row_bytes / elem, elem, [1, 3], 2);
            transposes(&[rows], row_bytes / elem, elem, [0, 64 / elem - rows % (64 / elem)], 1);
        }
    }
}

#[test]
fn rows_of_a_table_are_taken_some_at_a_time() {
    for elem in [1, 2, 4, 8, 16] {
        for (rows, row_bytes) in [([5, 41], 4096), ([19, 17], 1040), ([37, 27], 256)] {
            transposes(&rows, row_bytes / elem, elem, [0, 0], 1);
            transposes(&rows, row_bytes / elem, elem, [3, 1], 2);
        }
    }
}

#[test]
fn units_of_any_size_wait_in_slots_for_their_lines() {
    for elem in [3, 5, 6, 7, 9, 12, 20, 24, 48, 63, 64] {
        for (rows, columns) in [(150 + 1024 / elem, 37), (64 + 512 / elem, 16), (2100 / elem, 130)]
        {
            transposes(&[rows], columns, elem, [0, 0], 1);
            transposes(&[rows], columns, elem, [1, 2], 2);
        }
    }
}

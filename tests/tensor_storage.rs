//! Storage that tensors share: who sees a write, what is refused, what lives how long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use restride::tensor::{OnOverlap, Saved, Storage, Tensor, TensorError, ViewChain};
use restride::{IndexItem, Layout, LayoutError, MemoryFormat};

fn counted(shape: &[usize]) -> Tensor<i32> {
    Tensor::from_vec((0..shape.iter().product::<usize>() as i32).collect(), shape).unwrap()
}

#[test]
fn a_transpose_is_written_through_and_its_copy_is_not() {
    let x = counted(&[3, 4]);
    let t = x.t();
    assert_eq!(t.get(&[2, 1]), Ok(6));
    let (dense, same_order) = (t.contiguous().unwrap(), t.deep_clone().unwrap());
    t.set(&[2, 1], 60).unwrap();
    assert_eq!(x.get(&[1, 2]), Ok(60));
    assert_eq!(x.view(&[-1]).unwrap().get(&[6]), Ok(60));
    assert_eq!((dense.get(&[2, 1]), same_order.get(&[-2, -2])), (Ok(6), Ok(6)));
    assert!(t.shares_storage(&x) && !dense.shares_storage(&x) && !same_order.shares_storage(&x));
    // PyTorch's clone keeps the order in memory.
    assert_eq!((dense.strides(), same_order.strides()), (&[3, 1][..], &[1, 4][..]));
}

#[test]
fn base_pointer_and_data_pointer_are_told_apart() {
    let x = counted(&[3, 4]);
    let row = x.select(0, 2).unwrap();
    assert_eq!(row.base_ptr(), x.data_ptr());
    assert_eq!(row.data_ptr(), x.base_ptr().wrapping_add(8));
    assert_eq!(x.flip(&[0, 1]).unwrap().data_ptr(), x.base_ptr().wrapping_add(11));
    let none = x.narrow(0, 3, 0).unwrap();
    assert_eq!(none.data_ptr(), x.base_ptr());
    assert_eq!(row.read().unwrap().as_slice().unwrap().as_ptr(), row.data_ptr());
}

#[test]
fn a_small_slice_keeps_its_storage_alive() {
    let x = Tensor::from_vec(vec![7u8; 1 << 20], &[1 << 20]).unwrap();
    let one = x.narrow(0, 1000, 1).unwrap();
    assert_eq!(one.storage().handles(), 2);
    drop(x);
    assert_eq!((one.storage().handles(), one.storage().len()), (1, 1 << 20));
    // A copy lets go of it.
    let own = one.deep_clone().unwrap();
    assert_eq!((own.storage().len(), own.get(&[0])), (1, Ok(7)));
}

#[test]
fn vectors_go_in_and_out_without_a_copy() {
    let vec: Vec<u64> = (0..1000).collect();
    let address = vec.as_ptr();
    let x = Tensor::from_vec(vec, &[10, 100]).unwrap();
    assert_eq!(x.data_ptr(), address);
    let back = x.view(&[-1]).unwrap();
    drop(x);
    let back = back.into_vec().unwrap();
    assert_eq!((back.as_ptr(), back.len(), back[999]), (address, 1000, 999));

    // Another handle, a part, another order: these copy.
    let x = Tensor::from_vec(back, &[10, 100]).unwrap();
    let other = x.shallow_clone();
    let copied = other.into_vec().unwrap();
    assert!(copied.as_ptr() != address && copied[999] == 999);
    let part = x.narrow(0, 0, 9).unwrap();
    drop(x);
    assert_eq!(part.into_vec().unwrap().len(), 900);
    let turned = Tensor::from_vec(vec![1, 2, 3, 4], &[2, 2]).unwrap().t();
    assert_eq!(turned.into_vec().unwrap(), [1, 3, 2, 4]);
}

#[test]
fn storages_come_back_from_their_last_handle_only() {
    let storage = Storage::new(vec![1, 2, 3]);
    let other = storage.clone();
    assert!(storage.is_same(&other));
    let storage = storage.into_vec().unwrap_err();
    drop(other);
    assert_eq!(storage.into_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn wrong_shapes_layouts_and_indices_are_refused() {
    let refused = Tensor::from_vec(vec![0; 12], &[3, 5]).unwrap_err();
    assert_eq!(refused.to_string(), "shape [12] has 12 elements, but [3, 5] has 15");
    assert_eq!(refused.kind().as_str(), "size_mismatch");
    let layout = Layout::contiguous(&[4]).unwrap();
    let refused = Tensor::from_storage(Storage::new(vec![0; 3]), layout).unwrap_err();
    assert_eq!(refused, LayoutError::OutOfStorage { first: 0, last: 3, storage_len: 3 });

    let x = counted(&[3, 4]);
    for index in [&[0][..], &[0, 0, 0], &[]] {
        let refused = x.get(index).unwrap_err().to_string();
        assert_eq!(refused, format!("indices of an element: {} given, 2 needed", index.len()));
    }
    let refused = x.set(&[1, 4], 0).unwrap_err().to_string();
    assert_eq!(refused, "index 4 is outside axis 1 of size 4");
    assert!(x.view(&[5]).is_err() && x.reshape(&[5]).is_err());
    let wrong = x.copy_from(&counted(&[4, 3]), OnOverlap::Refuse).unwrap_err();
    assert_eq!(wrong.to_string(), "the source has shape [4, 3], but the destination [3, 4]");
    assert_eq!(x.storage().version(), 0, "what is refused changes nothing");
}

#[test]
fn writing_through_a_view_that_overlaps_itself_is_refused() {
    let x = counted(&[4]);
    let expanded = x.expand(&[3, 4]).unwrap();
    let windows = x.unfold(0, 2, 1).unwrap();
    for view in [&expanded, &windows] {
        let same = view.contiguous().unwrap();
        let refusals = [
            view.set(&[0, 0], 1).unwrap_err(),
            view.fill(1).unwrap_err(),
            view.copy_from(&same, OnOverlap::Buffer).unwrap_err(),
            view.add_from(&same, OnOverlap::Buffer).unwrap_err(),
            view.write().map(|_| ()).unwrap_err(),
        ];
        for refused in refusals {
            assert!(matches!(refused, TensorError::SelfOverlap { certain: true, .. }));
            assert!(refused.to_string().contains("materialize it first"), "{refused}");
        }
    }
    assert_eq!((x.to_vec().unwrap(), x.storage().version()), (vec![0, 1, 2, 3], 0));
    // Materialized, it can be written; an expanded unit axis always could be.
    let dense = expanded.contiguous().unwrap();
    dense.set(&[0, 0], 9).unwrap();
    assert_eq!(dense.get(&[1, 0]), Ok(0));
    x.expand(&[1, 4]).unwrap().fill(5).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5; 4]);
}

#[test]
fn overlapping_copies_are_refused_or_buffered_as_asked() {
    let x = counted(&[4, 4]);
    let refused = x.copy_from(&x.t(), OnOverlap::default()).unwrap_err();
    assert_eq!(refused, TensorError::Overlap { certain: true });
    assert!(refused.to_string().contains("OnOverlap::Buffer"), "{refused}");
    x.copy_from(&x.t(), OnOverlap::Buffer).unwrap();
    assert_eq!(x.to_vec().unwrap(), (0..16).map(|i| i % 4 * 4 + i / 4).collect::<Vec<_>>());
    // Interleaved columns share nothing.
    let (even, odd) = (x.slice(1, None, None, 2).unwrap(), x.slice(1, Some(1), None, 2).unwrap());
    even.copy_from(&odd, OnOverlap::Refuse).unwrap();
    assert_eq!(x.select(0, 1).unwrap().to_vec().unwrap(), [5, 5, 13, 13]);
    // A broadcast source is only read.
    x.copy_from(&counted(&[4]).expand(&[4, 4]).unwrap(), OnOverlap::Refuse).unwrap();
    assert_eq!(x.select(0, 3).unwrap().to_vec().unwrap(), [0, 1, 2, 3]);
    x.add_from(&x.t(), OnOverlap::Buffer).unwrap();
    assert_eq!(x.select(0, 1).unwrap().to_vec().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn a_saved_view_notices_every_write_to_its_storage() {
    let x = counted(&[2, 3]);
    let save = || -> Saved<i32> { x.t().save().unwrap() };
    let unchanged = |saved: &Saved<i32>| saved.tensor().is_ok() && saved.read().is_ok();

    let saved = save();
    x.to_vec().unwrap();
    x.deep_clone().unwrap().fill(0).unwrap();
    x.write().map(|open| open.layout().numel()).unwrap(); // opened is written: who knows?
    assert!(!unchanged(&saved));

    let writes: [&dyn Fn() -> Result<(), TensorError>; 5] = [
        &|| x.set(&[0, 0], 1),
        &|| x.select(0, 1)?.fill(2),
        &|| x.copy_from(&counted(&[2, 3]), OnOverlap::Refuse),
        &|| x.add_from(&counted(&[2, 3]), OnOverlap::Refuse),
        &|| x.flip(&[0])?.write().map(|mut open| open.elements_mut()[0] = 3),
    ];
    for write in writes {
        let saved = save();
        assert!(unchanged(&saved));
        let version = x.storage().version();
        write().unwrap();
        let changed = TensorError::Changed { saved: version, now: version + 1 };
        assert_eq!(saved.tensor().unwrap_err(), changed);
        assert_eq!(saved.read().unwrap_err(), changed);
        assert!(unchanged(&save()));
    }
}

#[test]
fn an_open_storage_refuses_at_once_what_would_be_a_race() {
    let x = counted(&[6]);
    let t = x.t();
    let (read, again) = (x.read().unwrap(), t.read().unwrap());
    assert_eq!(read.elements(), again.elements());
    assert_eq!(x.set(&[0], 1), Err(TensorError::InUse { wanted: "written" }));
    drop((read, again));

    let mut write = x.write().unwrap();
    write.as_mut_slice().unwrap()[5] = 50;
    let in_use = TensorError::InUse { wanted: "read" };
    assert_eq!(x.get(&[0]), Err(in_use.clone()));
    assert_eq!(x.to_vec(), Err(in_use.clone()));
    assert_eq!(x.save().unwrap_err(), in_use);
    assert_eq!(counted(&[6]).copy_from(&x, OnOverlap::Refuse), Err(in_use));
    assert_eq!(x.fill(0), Err(TensorError::InUse { wanted: "written" }));
    drop(write);
    assert_eq!(x.to_vec().unwrap(), [0, 1, 2, 3, 4, 50]);
}

#[test]
fn a_writer_that_panics_leaves_a_storage_that_can_be_used() {
    let x = counted(&[3]);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut open = x.write().unwrap();
        open.elements_mut()[0] = 9;
        panic!("while writing");
    }));
    assert!(panicked.is_err());
    assert_eq!(x.to_vec().unwrap(), [9, 1, 2]);
    x.set(&[0], 0).unwrap();
    assert_eq!(x.into_vec().unwrap(), [0, 1, 2]);
}

#[test]
fn tensors_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Tensor<f32>>();
    crosses::<Storage<u8>>();
    crosses::<Saved<f64>>();
    crosses::<TensorError>();
    crosses::<ViewChain>();

    let x = counted(&[400, 300]);
    let sums: Vec<i64> = thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|i| {
                let x = &x;
                scope.spawn(move || {
                    let part = x.slice(0, Some(i), None, 4).unwrap().t();
                    part.to_vec().unwrap().into_iter().map(i64::from).sum::<i64>()
                })
            })
            .collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    let all = 120_000i64;
    assert_eq!(sums.iter().sum::<i64>(), all * (all - 1) / 2);
}

#[test]
fn threads_that_write_one_storage_lose_nothing_and_never_hang() {
    let (a, b) = (counted(&[64, 64]), counted(&[64, 64]));
    a.fill(0).unwrap();
    thread::scope(|scope| {
        for row in 0..4isize {
            let (a, b) = (&a, &b);
            scope.spawn(move || {
                for _ in 0..200 {
                    // Both directions at once: with waiting, and in no fixed order, a deadlock.
                    let _ = a
                        .select(0, 10)
                        .unwrap()
                        .copy_from(&b.select(0, row).unwrap(), OnOverlap::Refuse);
                    let _ = b
                        .select(0, 10)
                        .unwrap()
                        .copy_from(&a.select(0, row).unwrap(), OnOverlap::Refuse);
                    let cell = a.select(0, row).unwrap();
                    let added = loop {
                        let Ok(mut open) = cell.write() else { continue };
                        let first = open.layout().offset();
                        open.elements_mut()[first] += 1;
                        break open.elements()[first];
                    };
                    assert!(added > 0);
                }
            });
        }
    });
    for row in 0..4 {
        assert_eq!(a.get(&[row, 0]), Ok(200));
    }
}

#[test]
fn what_is_lent_is_not_written_by_any_thread() {
    let x = counted(&[64]);
    x.fill(0).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let Ok(lent) = x.storage().lend() else { continue };
                    let version = lent.storage().version();
                    // Reads are refused only beside a writer that is about to be refused itself.
                    let seen = x.to_vec().ok();
                    assert!(seen.is_none_or(|seen| seen.iter().all(|&value| value == seen[0])));
                    assert_eq!(lent.storage().version(), version);
                }
            });
        }
        for value in 1..500 {
            let _ = x.fill(value); // refused, or seen whole
        }
    });
    x.fill(7).unwrap();
    assert_eq!(x.storage().handles(), 1);
}

#[test]
#[cfg(feature = "rayon")]
fn copies_inside_a_pool_end_while_its_threads_want_the_same_storage() {
    let x = counted(&[1024, 1024]);
    let copies = std::sync::atomic::AtomicUsize::new(0);
    rayon::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|_| {
                for _ in 0..4 {
                    let _ = x.narrow(0, 0, 1).unwrap().fill(1);
                    let open = x.read();
                    // Held across a parallel copy, whose helpers are the threads that want it.
                    let dense = x.t().contiguous();
                    if open.is_ok() && dense.is_ok() {
                        copies.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(copies.into_inner() > 0);
}

#[test]
fn scalars_empty_tensors_and_elements_without_bytes() {
    let scalar = Tensor::from_vec(vec![5i16], &[]).unwrap();
    assert_eq!((scalar.get(&[]), scalar.rank(), scalar.numel()), (Ok(5), 0, 1));
    scalar.set(&[], 6).unwrap();
    assert_eq!(scalar.expand(&[2, 2]).unwrap().to_vec().unwrap(), [6; 4]);
    assert_eq!(scalar.into_vec().unwrap(), [6]);

    let empty = Tensor::from_vec(Vec::<f32>::new(), &[0, 3]).unwrap();
    assert!(empty.is_empty() && empty.storage().is_empty() && empty.t().is_contiguous());
    empty.fill(1.0).unwrap();
    empty.t().copy_from(&empty.t(), OnOverlap::Refuse).unwrap();
    empty.add_from(&empty, OnOverlap::Refuse).unwrap();
    assert_eq!(empty.reshape(&[3, 0]).unwrap().tensor().shape(), [3, 0]);
    assert!(empty.read().unwrap().as_slice().unwrap().is_empty());
    assert_eq!(empty.into_vec().unwrap(), [0f32; 0]);
    // An empty slice may begin past the end, as PyTorch's may.
    let x = counted(&[5]);
    let past = x.slice(0, Some(5), None, 1).unwrap();
    assert_eq!((past.to_vec().unwrap(), past.offset()), (vec![], 5));
    past.fill(3).unwrap();
    assert!(past.deep_clone().unwrap().storage().is_empty());

    let units = Tensor::from_vec(vec![(); 6], &[2, 3]).unwrap();
    assert_eq!(units.t().to_vec().unwrap(), [(); 6]);
    units.t().fill(()).unwrap();
    let refused = units.copy_from(&units, OnOverlap::Refuse).unwrap_err();
    assert_eq!(refused, TensorError::Overlap { certain: true });
    units.copy_from(&units, OnOverlap::Buffer).unwrap();
    assert_eq!(units.into_vec().unwrap().len(), 6);
}

#[test]
fn copies_keep_or_take_a_memory_format() {
    let x = counted(&[2, 3, 4, 5]);
    let last = x.contiguous_in(MemoryFormat::ChannelsLast).unwrap();
    assert_eq!(last.strides(), [60, 1, 15, 3]);
    assert_eq!(last.to_vec().unwrap(), x.to_vec().unwrap());
    let again = last.contiguous_in(MemoryFormat::ChannelsLast).unwrap();
    assert!(again.shares_storage(&last));
    let cloned = last.deep_clone().unwrap();
    assert_eq!(cloned.strides(), last.strides());
    assert_eq!(cloned.storage().len(), 120);
    let backwards = x.flip(&[3]).unwrap().deep_clone().unwrap();
    assert_eq!(backwards.strides(), [60, 20, 5, 1]);
    assert_eq!(backwards.get(&[0, 0, 0, 0]), Ok(4));
    let refused = counted(&[2]).deep_clone_in(MemoryFormat::ChannelsLast).unwrap_err();
    assert_eq!(refused.to_string(), "channels_last needs 4 axes, but there are 1");
}

#[test]
fn tensors_print_their_layout_and_no_elements() {
    let x = counted(&[2, 2]).index(&[IndexItem::NewAxis]).unwrap();
    let printed = format!("{x:?}");
    assert!(printed.starts_with("Tensor { shape: [1, 2, 2], strides: [4, 2, 1], offset: 0"));
    assert_eq!(x.read().unwrap().iter().copied().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

//! Random programs of views, writes and copies, against a model that lists the storage element of
//! every index and knows nothing of strides.

use proptest::collection::vec;
use proptest::prelude::*;
use restride::tensor::{OnOverlap, Tensor, TensorError, ViewOrCopy};
use restride::{IndexItem, LayoutError, MemoryFormat};

/// A view: its shape, and which element of which storage each index shows, in row-major order.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<usize>,
    places: Vec<usize>,
    storage: usize,
}

/// Every index of `shape`, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |outer, &size| {
        let longer = |head: Vec<usize>| (0..size).map(move |i| [&head[..], &[i]].concat());
        outer.into_iter().flat_map(longer).collect()
    })
}

impl Model {
    fn dense(shape: &[usize], storage: usize) -> Self {
        let places = (0..shape.iter().product()).collect();
        Self { shape: shape.to_vec(), places, storage }
    }

    fn place(&self, index: &[usize]) -> usize {
        let at = index.iter().zip(&self.shape).fold(0, |at, (&i, &size)| at * size + i);
        self.places[at]
    }

    /// The view of shape `shape` whose element `index` is element `source(index)` of this one.
    fn map(&self, shape: Vec<usize>, source: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let places = indices(&shape).iter().map(|index| self.place(&source(index))).collect();
        Self { shape, places, storage: self.storage }
    }

    fn repeats_a_place(&self) -> bool {
        let mut places = self.places.clone();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// The storages of a program, as the model has them, and the views of them made so far.
struct Program {
    storages: Vec<Vec<i64>>,
    views: Vec<(Tensor<i64>, Model)>,
    stamp: i64,
}

/// Numbers that a program's choices are taken from.
struct Choices<'a>(std::slice::Iter<'a, u32>);

impl Choices<'_> {
    /// A number below `n`, which is at least 1; 0 when none are left.
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |&choice| choice as usize % n)
    }
}

type Checked = Result<(), TestCaseError>;

impl Program {
    fn new(shape: &[usize]) -> Self {
        let numel = shape.iter().product::<usize>() as i64;
        let tensor = Tensor::from_vec((0..numel).collect(), shape).unwrap();
        let storages = vec![(0..numel).collect()];
        Self { storages, views: vec![(tensor, Model::dense(shape, 0))], stamp: 1000 }
    }

    fn step(&mut self, choices: &mut Choices) -> Checked {
        let chosen = choices.below(self.views.len());
        let (tensor, model) = (self.views[chosen].0.shallow_clone(), self.views[chosen].1.clone());
        match choices.below(8) {
            0 => self.write(&tensor, &model, choices)?,
            1 => self.copy(&tensor, &model, choices)?,
            _ => {
                if let Some((view, viewed)) = view(&tensor, &model, choices) {
                    let view = view.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    prop_assert!(view.shares_storage(&tensor));
                    self.views.push((view, viewed));
                }
            }
        }
        Ok(())
    }

    fn stamp(&mut self) -> i64 {
        self.stamp += 1;
        self.stamp
    }

    fn write(&mut self, tensor: &Tensor<i64>, model: &Model, choices: &mut Choices) -> Checked {
        let from = choices.below(self.views.len());
        let stamp = self.stamp();
        let result = match choices.below(4) {
            0 if !model.places.is_empty() => {
                let at = choices.below(model.places.len());
                let index = &indices(&model.shape)[at];
                let index: Vec<isize> = index.iter().map(|&i| i as isize).collect();
                let result = tensor.set(&index, stamp);
                if result.is_ok() {
                    self.storages[model.storage][model.places[at]] = stamp;
                }
                result
            }
            1 => {
                let result = tensor.fill(stamp);
                if result.is_ok() {
                    for &place in &model.places {
                        self.storages[model.storage][place] = stamp;
                    }
                }
                result
            }
            how => {
                // From the view itself in another order, or from another view of its shape.
                let (source, read) = match &self.views[from] {
                    (source, read) if read.shape == model.shape => {
                        (source.shallow_clone(), read.clone())
                    }
                    _ => {
                        let axes: Vec<isize> = (0..model.shape.len() as isize).collect();
                        let shape = model.shape.clone();
                        let flipped = model.map(shape.clone(), |index| {
                            index.iter().zip(&shape).map(|(i, size)| size - 1 - i).collect()
                        });
                        (tensor.flip(&axes).unwrap(), flipped)
                    }
                };
                let shared = read.storage == model.storage
                    && read.places.iter().any(|place| model.places.contains(place));
                let values: Vec<i64> =
                    read.places.iter().map(|&place| self.storages[read.storage][place]).collect();
                let add = how == 3;
                let write = |on_overlap| match add {
                    true => tensor.add_from(&source, on_overlap),
                    false => tensor.copy_from(&source, on_overlap),
                };
                let mut result = write(OnOverlap::Refuse);
                if result == Err(TensorError::Overlap { certain: true }) {
                    prop_assert!(shared);
                    result = write(OnOverlap::Buffer);
                } else if result.is_ok() {
                    prop_assert!(!shared);
                }
                if result.is_ok() {
                    for (&place, value) in model.places.iter().zip(values) {
                        let element = &mut self.storages[model.storage][place];
                        *element = if add { *element + value } else { value };
                    }
                }
                result
            }
        };
        match result {
            Ok(()) => prop_assert!(!model.repeats_a_place()),
            Err(TensorError::SelfOverlap { certain, .. }) => {
                prop_assert!(certain && model.repeats_a_place());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        Ok(())
    }

    /// A copy, or what may be one.
    fn copy(&mut self, tensor: &Tensor<i64>, model: &Model, choices: &mut Choices) -> Checked {
        let numel = model.places.len();
        let (result, shape) = match choices.below(5) {
            0 => (tensor.deep_clone().unwrap(), model.shape.clone()),
            1 => (tensor.contiguous().unwrap(), model.shape.clone()),
            2 if model.shape.len() == 4 => {
                let copy = tensor.contiguous_in(MemoryFormat::ChannelsLast).unwrap();
                prop_assert!(copy.layout().is_channels_last());
                (copy, model.shape.clone())
            }
            3 => (tensor.flatten(0, -1).unwrap().into_tensor(), vec![numel]),
            _ => {
                let shape = match numel % 2 {
                    0 if numel > 0 => vec![2, numel / 2],
                    _ => vec![1, numel],
                };
                let signed: Vec<isize> = shape.iter().map(|&size| size as isize).collect();
                let viewable = tensor.view(&signed).is_ok();
                let reshaped = tensor.reshape(&signed).unwrap();
                prop_assert_eq!(reshaped.is_copy(), !viewable);
                prop_assert_eq!(matches!(reshaped, ViewOrCopy::View(_)), viewable);
                prop_assert_eq!(reshaped.tensor().shares_storage(tensor), viewable);
                (reshaped.into_tensor(), shape)
            }
        };
        prop_assert_eq!(result.shape(), &shape[..]);
        let copied = match result.shares_storage(tensor) {
            true => Model { shape, ..model.clone() },
            false => {
                prop_assert_eq!(result.storage().len(), numel);
                // The order in memory is the tensor's to choose.
                let values = model.places.iter().map(|&p| self.storages[model.storage][p]);
                let mut storage = vec![0; numel];
                let places: Vec<usize> = result.layout().storage_order().collect();
                for (&place, value) in places.iter().zip(values) {
                    storage[place] = value;
                }
                self.storages.push(storage);
                Model { shape, places, storage: self.storages.len() - 1 }
            }
        };
        self.views.push((result, copied));
        Ok(())
    }

    /// Every view shows what the model says.
    fn check(&self) -> Checked {
        for (tensor, model) in &self.views {
            prop_assert_eq!(tensor.shape(), &model.shape[..], "{:?}", tensor);
            let storage = &self.storages[model.storage];
            let expected: Vec<i64> = model.places.iter().map(|&place| storage[place]).collect();
            prop_assert_eq!(&tensor.to_vec().unwrap(), &expected, "{:?}", tensor);
            let open = tensor.read().unwrap();
            prop_assert_eq!(open.elements(), &storage[..]);
            prop_assert!(open.iter().eq(&expected));
            if let Some(slice) = open.as_slice() {
                prop_assert_eq!(slice, &expected[..]);
            }
        }
        for (a, seen_a) in &self.views {
            for (b, seen_b) in &self.views {
                prop_assert_eq!(a.shares_storage(b), seen_a.storage == seen_b.storage);
            }
        }
        Ok(())
    }
}

/// A view operation, on the tensor and on the model; `None` where it has no meaning.
fn view(
    tensor: &Tensor<i64>,
    model: &Model,
    choices: &mut Choices,
) -> Option<(Result<Tensor<i64>, LayoutError>, Model)> {
    let rank = model.shape.len();
    let shape = model.shape.clone();
    let kind = choices.below(18);
    let (a, b) = (choices.below(rank.max(1)), choices.below(rank.max(1)));
    let (sa, sb) = (a as isize, b as isize - rank as isize); // from the front, from the end
    let swapped = || {
        let mut to = shape.clone();
        to.swap(a, b);
        model.map(to, |index| {
            let mut index = index.to_vec();
            index.swap(a, b);
            index
        })
    };
    let without = |axis: usize| {
        let mut shape = shape.clone();
        shape.remove(axis);
        shape
    };
    let stepped = |first: usize, len: usize, step: isize| {
        let mut to = shape.clone();
        to[a] = len;
        model.map(to, |index| {
            let mut index = index.to_vec();
            index[a] = (first as isize + index[a] as isize * step) as usize;
            index
        })
    };
    let reversed = || {
        model.map(shape.iter().rev().copied().collect(), |index| {
            index.iter().rev().copied().collect()
        })
    };
    if rank == 0 && !matches!(kind, 0 | 1 | 10) {
        return None;
    }
    Some(match kind {
        0 => (Ok(tensor.t()), reversed()),
        1 => {
            let mut to = shape.clone();
            to.insert(a, 1);
            (tensor.unsqueeze(sa), Model { shape: to, ..model.clone() })
        }
        2 => (tensor.transpose(sa, sb), swapped()),
        3 => (tensor.swapaxes(sb, sa), swapped()),
        4 => {
            let axes: Vec<isize> = (0..rank as isize).rev().collect();
            (tensor.permute(&axes), reversed())
        }
        5 => {
            let mut order: Vec<usize> = (0..rank).filter(|&axis| axis != a).collect();
            order.insert(b, a);
            let to = order.iter().map(|&axis| shape[axis]).collect();
            let moved = model.map(to, |index| {
                let mut source = vec![0; rank];
                order.iter().zip(index).for_each(|(&axis, &i)| source[axis] = i);
                source
            });
            (tensor.movedim(&[sa], &[sb]), moved)
        }
        6 => {
            let size = shape[a];
            (tensor.flip(&[sa]), stepped(size.saturating_sub(1), size, -1))
        }
        7 if shape[a] > 0 => {
            let i = choices.below(shape[a]);
            let kept = model.map(without(a), |index| {
                let mut index = index.to_vec();
                index.insert(a, i);
                index
            });
            (tensor.select(sa, i as isize - shape[a] as isize), kept)
        }
        8 => {
            let start = choices.below(shape[a] + 1);
            let len = choices.below(shape[a] - start + 1);
            (tensor.narrow(sa, start as isize, len as isize), stepped(start, len, 1))
        }
        9 => {
            let step = choices.below(3) as isize + 1;
            let start = choices.below(shape[a] + 1);
            match choices.below(2) {
                0 => {
                    let len = (shape[a] - start).div_ceil(step as usize);
                    (tensor.slice(sa, Some(start as isize), None, step), stepped(start, len, step))
                }
                _ if start < shape[a] => {
                    let len = (start + 1).div_ceil(step as usize);
                    let items: Vec<IndexItem> = (0..rank)
                        .map(|axis| match axis == a {
                            true => IndexItem::Slice {
                                start: Some(start as isize),
                                stop: None,
                                step: Some(-step),
                            },
                            false => IndexItem::Slice { start: None, stop: None, step: None },
                        })
                        .collect();
                    (tensor.index(&items), stepped(start, len, -step))
                }
                _ => return None,
            }
        }
        10 => {
            let times = choices.below(3) + 1;
            let mut to = vec![times];
            to.extend(&shape);
            let signed: Vec<isize> =
                [times as isize].into_iter().chain(shape.iter().map(|_| -1)).collect();
            let repeated = model.map(to, |index| index[1..].to_vec());
            match choices.below(2) {
                0 => (tensor.expand(&signed), repeated),
                _ => (tensor.broadcast_to(&signed), repeated),
            }
        }
        11 if shape[a] == 1 => {
            let times = choices.below(4);
            let mut to = shape.clone();
            to[a] = times;
            let signed: Vec<isize> = to.iter().map(|&size| size as isize).collect();
            let repeated = model.map(to, |index| {
                let mut index = index.to_vec();
                index[a] = 0;
                index
            });
            (tensor.expand(&signed), repeated)
        }
        12 if a != b => {
            let len = shape[a].min(shape[b].saturating_sub(1));
            let kept: Vec<usize> = (0..rank).filter(|&axis| axis != a && axis != b).collect();
            let mut to: Vec<usize> = kept.iter().map(|&axis| shape[axis]).collect();
            to.push(len);
            let crossed = model.map(to, |index| {
                let mut source = vec![0; rank];
                kept.iter().zip(index).for_each(|(&axis, &i)| source[axis] = i);
                (source[a], source[b]) = (index[kept.len()], index[kept.len()] + 1);
                source
            });
            (tensor.diagonal(1, sa, sb), crossed)
        }
        13 if shape[a] > 0 => {
            let size = choices.below(shape[a]) + 1;
            let step = choices.below(3) + 1;
            let mut to = shape.clone();
            to[a] = (shape[a] - size) / step + 1;
            to.push(size);
            let windows = model.map(to, |index| {
                let mut source = index[..rank].to_vec();
                source[a] = source[a] * step + index[rank];
                source
            });
            (tensor.unfold(sa, size as isize, step as isize), windows)
        }
        14 => {
            let kept = shape.iter().copied().filter(|&size| size != 1).collect();
            (Ok(tensor.squeeze()), Model { shape: kept, ..model.clone() })
        }
        15 => {
            let to = if shape[a] == 1 { without(a) } else { shape.clone() };
            (tensor.squeeze_dims(&[sa]), Model { shape: to, ..model.clone() })
        }
        16 if shape[a] > 0 && shape[a].is_multiple_of(2) => {
            let mut to = shape.clone();
            to.splice(a..=a, [2, shape[a] / 2]);
            (tensor.unflatten(sa, &[2, -1]), Model { shape: to, ..model.clone() })
        }
        17 => {
            let len = tensor.storage().len().min(6);
            let places = (0..2 * len).map(|i| len - 1 - i % len).collect();
            let viewed = Model { shape: vec![2, len], places, storage: model.storage };
            if len == 0 {
                return None;
            }
            let start = len as isize - 1;
            (tensor.as_strided(&[2, len as isize], &[0, -1], Some(start)), viewed)
        }
        _ if rank >= 2 => {
            let mut to = shape.clone();
            to.swap(rank - 2, rank - 1);
            let turned = model.map(to, |index| {
                let mut index = index.to_vec();
                index.swap(rank - 2, rank - 1);
                index
            });
            (tensor.mt(), turned)
        }
        _ => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn programs_of_views_writes_and_copies_agree_with_the_model(
        shape in vec(prop_oneof![1 => Just(0usize), 2 => Just(1), 8 => 2..6usize], 0..4),
        choices in vec(any::<u32>(), 0..150),
    ) {
        let mut program = Program::new(&shape);
        let mut choices = Choices(choices.iter());
        while choices.0.len() > 0 {
            program.step(&mut choices)?;
            if program.views.iter().any(|(_, model)| model.places.len() > 3000) {
                break;
            }
        }
        program.check()?;
    }
}

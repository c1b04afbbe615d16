//! Adjoints (vector-Jacobian products) of views and copies: from the gradient of a result to the
//! gradient of what it was made from.
//!
//! A view only says where its elements are found. So the adjoint of any chain of view operations
//! (permute, expand, slice, select, as_strided, unfold, …) is one step from the last layout: each
//! element of the gradient is added to the storage element that it was read from. Elements that
//! were never read get zero, and those read several times the sum. A copy on the way begins a new
//! storage, and another such step.
//!
//! Sums are formed in whatever order is fast, but always the same one for the same layouts:
//! see [`Additive`].

use super::scatter::scatter;
use super::{Additive, Tensor, TensorError};
use crate::copy::contiguous;
use crate::error::LayoutError;
use crate::layout::overlap::{Overlap, self_overlap};
use crate::layout::{Layout, Reshaped};
use crate::spec::Trace;

/// What operations do to a dense source, kept to send gradients back through it. It holds layouts
/// only, no elements.
///
/// ```
/// use restride::tensor::{Tensor, ViewChain};
///
/// // x.expand(2, 3), then .t(), then .reshape(-1), which has to copy.
/// let mut chain = ViewChain::new(&[2, 1])?;
/// chain.then(|x| x.expand(&[2, 3]))?.then(|x| Ok(x.t()))?.then(|x| x.reshape(&[-1]))?;
/// assert!(!chain.is_view());
///
/// let ones = Tensor::from_vec(vec![1.0f32; 6], &[6])?;
/// let grad = chain.vjp(&ones)?;
/// assert_eq!((grad.shape(), grad.to_vec()?), (&[2, 1][..], vec![3.0, 3.0]));
/// # Ok::<(), restride::tensor::TensorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ViewChain {
    source: Layout,
    /// Copies made so far, in order.
    copies: Vec<Copied>,
    /// The result so far, in a storage of `len` elements.
    layout: Layout,
    len: usize,
}

/// A copy from a storage of `len` elements, seen as `from`, to a new one, seen as `to`.
#[derive(Clone, Debug)]
struct Copied {
    from: Layout,
    len: usize,
    to: Layout,
}

impl ViewChain {
    /// Before any operation on a dense row-major source of `shape`.
    ///
    /// # Errors
    /// As [`Layout::contiguous`].
    pub fn new(shape: &[usize]) -> Result<Self, LayoutError> {
        let layout = Layout::contiguous(shape)?;
        let len = layout.numel();
        Ok(Self { source: layout.clone(), copies: Vec::new(), layout, len })
    }

    /// The chain of operations that a spec's trace went through.
    ///
    /// # Errors
    /// [`LayoutError::OutOfStorage`] when the trace's origin does not fit its storage.
    pub fn of_trace(trace: &Trace) -> Result<Self, LayoutError> {
        let origin = trace.origin();
        let (source, len) = (&origin.layout, origin.storage_len);
        let mut chain =
            Self { source: source.clone(), copies: Vec::new(), layout: source.clone(), len };
        chain.inside(source)?;
        for step in trace.steps() {
            if let Some(copy) = &step.copy {
                let len = core::mem::replace(&mut chain.len, copy.to.numel());
                chain.copies.push(Copied { from: copy.from.clone(), len, to: copy.to.clone() });
            }
            chain.layout = step.layout.clone();
        }
        Ok(chain)
    }

    /// Goes on with any operation of [`Layout`]: those that lead to a view as well as those that
    /// may have to copy.
    ///
    /// # Errors
    /// Those of the operation. [`LayoutError::OutOfStorage`] when its result leaves the storage
    /// (see [`ViewChain::storage_len`]); [`LayoutError::SizeMismatch`] or
    /// [`LayoutError::ShapesDiffer`] when it calls for a copy that is none of the elements so far
    /// in logical order.
    pub fn then<R: Into<Reshaped>>(
        &mut self,
        operation: impl FnOnce(&Layout) -> Result<R, LayoutError>,
    ) -> Result<&mut Self, LayoutError> {
        match operation(&self.layout)?.into() {
            Reshaped::View(view) => {
                self.inside(&view)?;
                self.layout = view;
            }
            Reshaped::Copy(result) => {
                let to = self.copied_to(&result)?;
                let from = core::mem::replace(&mut self.layout, result);
                let len = core::mem::replace(&mut self.len, to.numel());
                self.copies.push(Copied { from, len, to });
            }
        }
        Ok(self)
    }

    /// The layout of the result so far.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Elements of the storage that the result so far lives in.
    pub fn storage_len(&self) -> usize {
        self.len
    }

    /// Whether the result so far shares the source's storage.
    pub fn is_view(&self) -> bool {
        self.copies.is_empty()
    }

    /// The gradient with respect to the source, dense row-major, from `grad`, that with respect to
    /// the result. `grad` may itself be any view: an expanded one is read as it is.
    ///
    /// # Errors
    /// [`LayoutError::ShapesDiffer`] unless `grad` has the result's shape; [`TensorError::InUse`]
    /// while somebody writes its storage; [`TensorError::Copy`] when a gradient cannot be
    /// allocated; [`TensorError::SharedGradient`] when the source of a trace overlaps itself.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed.
    pub fn vjp<T: Additive>(&self, grad: &Tensor<T>) -> Result<Tensor<T>, TensorError> {
        same_shape(grad.layout(), &self.layout)?;
        refuse_shared(&self.source)?;
        let open = grad.read()?;
        let (mut storage, earlier) = match self.without_last_copy(grad.layout()) {
            Some((last, grad, earlier)) => {
                (scatter(&last.from, last.len, open.elements(), &grad)?, earlier)
            }
            None => {
                let storage = scatter(&self.layout, self.len, open.elements(), open.layout())?;
                (storage, &self.copies[..])
            }
        };
        drop(open);
        for copy in earlier.iter().rev() {
            storage = scatter(&copy.from, copy.len, &storage, &copy.to)?;
        }
        gathered(storage, &self.source)
    }

    /// The last copy, and `grad` in its shape, when the result is the copy itself, so that its
    /// gradient is `grad` as it stands; and the copies before it.
    fn without_last_copy(&self, grad: &Layout) -> Option<(&Copied, Layout, &[Copied])> {
        let (last, earlier) = self.copies.split_last()?;
        let whole = self.layout.numel() == self.len && self.layout.is_contiguous();
        if !whole || !last.to.is_contiguous() {
            return None;
        }
        let shape: Vec<isize> = last.to.shape().iter().map(|&size| size as isize).collect();
        Some((last, grad.view(&shape).ok()?, earlier))
    }

    /// Fails when `view` leaves the storage.
    fn inside(&self, view: &Layout) -> Result<(), LayoutError> {
        match view.reach() {
            Some((first, last)) if last >= self.len => Err(LayoutError::OutOfStorage {
                first: first as i128,
                last: last as i128,
                storage_len: self.len,
            }),
            _ => Ok(()),
        }
    }

    /// The layout, in the shape of the elements so far, of a copy that is then seen as `result`.
    fn copied_to(&self, result: &Layout) -> Result<Layout, LayoutError> {
        if result.numel() != self.layout.numel() {
            return Err(LayoutError::SizeMismatch {
                shape: self.layout.shape().into(),
                count: self.layout.numel(),
                target: result.shape().iter().map(|&size| size as isize).collect(),
                requested: result.numel(),
            });
        }
        if result.is_contiguous() && result.offset() == 0 {
            return Layout::contiguous(self.layout.shape());
        }
        // Another memory format: the shape is the same.
        same_shape(&self.layout, result)?;
        let storage = Self { len: result.numel(), ..self.clone() };
        storage.inside(result)?;
        Ok(result.clone())
    }
}

impl<T: Additive> Tensor<T> {
    /// The gradient with respect to this tensor, dense row-major, from `grad`, that with respect to
    /// `view`, a view of this tensor reached by whatever operations.
    ///
    /// ```
    /// use restride::tensor::Tensor;
    ///
    /// let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2, 1])?;
    /// let view = x.expand(&[2, 3])?;
    /// let ones = Tensor::from_vec(vec![1.0f32; 6], &[2, 3])?;
    /// assert_eq!(x.grad_through(&view, &ones)?.to_vec()?, [3.0, 3.0]);
    /// # Ok::<(), restride::tensor::TensorError>(())
    /// ```
    ///
    /// Elements that `view` shows but this tensor does not (after `as_strided`) count for nothing,
    /// as in PyTorch. Working memory is as large as the part of the storage that the two span.
    ///
    /// # Errors
    /// [`TensorError::NoView`] when the two share no storage; [`TensorError::SharedGradient`] when
    /// this tensor shows one element at several places, or may; otherwise as [`ViewChain::vjp`].
    ///
    /// # Panics
    /// As [`ViewChain::vjp`].
    pub fn grad_through(&self, view: &Self, grad: &Self) -> Result<Self, TensorError> {
        if !self.shares_storage(view) {
            return Err(TensorError::NoView);
        }
        same_shape(grad.layout(), view.layout())?;
        refuse_shared(self.layout())?;
        let (first, end) = match (self.layout().reach(), view.layout().reach()) {
            (Some(a), Some(b)) => (a.0.min(b.0), a.1.max(b.1) + 1),
            (Some(own), None) | (None, Some(own)) => (own.0, own.1 + 1),
            (None, None) => (0, 0),
        };
        let within = |layout: &Layout| match layout.is_empty() {
            true => Ok(layout.clone()),
            false => Layout::from_parts(
                layout.shape(),
                layout.strides(),
                layout.offset() - first,
                end - first,
            ),
        };
        let open = grad.read()?;
        let storage =
            scatter(&within(view.layout())?, end - first, open.elements(), open.layout())?;
        drop(open);
        gathered(storage, &within(self.layout())?)
    }
}

/// The elements that `layout` shows of `storage`, as a dense tensor.
fn gathered<T: Additive>(storage: Vec<T>, layout: &Layout) -> Result<Tensor<T>, TensorError> {
    let vec = match layout.is_contiguous() && layout.numel() == storage.len() {
        true => storage,
        false => contiguous(layout, &storage)?,
    };
    Ok(Tensor::from_vec(vec, layout.shape())?)
}

/// Fails unless a gradient has the shape of the view it is for.
fn same_shape(grad: &Layout, view: &Layout) -> Result<(), LayoutError> {
    if grad.shape() == view.shape() {
        return Ok(());
    }
    Err(LayoutError::ShapesDiffer { src: grad.shape().into(), dst: view.shape().into() })
}

/// Fails when `source` shows one element at several places.
fn refuse_shared(source: &Layout) -> Result<(), TensorError> {
    match self_overlap(source) {
        Overlap::No => Ok(()),
        overlap => Err(TensorError::SharedGradient {
            shape: source.shape().into(),
            strides: source.strides().into(),
            certain: overlap == Overlap::Yes,
        }),
    }
}

//! Carries the operations of a spec out, one after the other, on layouts alone.

use super::parse::OpAt;
use super::{DType, Op, SpecError, why};
use crate::error::{ErrorKind, LayoutError};
use crate::layout::{Layout, Reshaped};

/// What a chain of operations starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The element type, for people.
    pub dtype: String,
    /// Bytes of one element.
    pub elem_size: usize,
    /// Where the elements live in the storage.
    pub layout: Layout,
    /// Length of the storage, in elements.
    pub storage_len: usize,
}

impl Origin {
    /// A dense row-major tensor.
    ///
    /// # Errors
    /// [`LayoutError`] when the elements or their bytes exceed `isize::MAX`, or the rank its
    /// limit.
    pub fn dense(dtype: DType, shape: &[usize]) -> Result<Self, LayoutError> {
        let layout = Layout::contiguous(shape)?;
        let storage_len = layout.numel();
        let elem_size = dtype.size();
        bytes(storage_len, elem_size)?;
        Ok(Self { dtype: dtype.to_string(), elem_size, layout, storage_len })
    }
}

/// An operation that cannot be carried out; the caller knows where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub kind: ErrorKind,
    pub message: String,
}

impl Fault {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<LayoutError> for Fault {
    fn from(error: LayoutError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The result shares the storage of its input.
    View,
    /// The elements were copied into a new dense storage.
    Copy,
}

/// One operation carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation as the spec writes it.
    pub op: String,
    /// The layout it was applied to.
    pub before: Layout,
    /// The layout of the result.
    pub layout: Layout,
    /// Whether elements moved.
    pub effect: Effect,
    /// Why it could be a view, or had to copy.
    pub why: String,
    /// Which storage the result lives in: 0 is the source's, each copy begins another.
    pub storage: usize,
}

/// The layouts a chain of operations goes through.
#[derive(Clone, Debug)]
pub struct Trace {
    origin: Origin,
    steps: Vec<Step>,
}

impl Trace {
    /// Before any operation.
    pub fn start(origin: Origin) -> Self {
        Self { origin, steps: Vec::new() }
    }

    /// Carries out every operation of `ops`, which were read from `text`.
    ///
    /// # Errors
    /// That of [`Trace::apply`] for the first operation that fails; the trace then ends before
    /// it.
    pub fn apply_all(&mut self, ops: &[OpAt], text: &str) -> Result<(), SpecError> {
        ops.iter().try_for_each(|op| self.apply(op, text).map(|_| ()))
    }

    /// Carries out one operation, read from `text`.
    ///
    /// # Errors
    /// [`SpecError`] pointing at the operation when its arguments do not fit the layout; the
    /// trace is then unchanged.
    pub fn apply(&mut self, op: &OpAt, text: &str) -> Result<&Step, SpecError> {
        let before = self.layout().clone();
        let in_place = |fault: Fault| SpecError::new(fault.kind, fault.message, op.at.clone());
        let (layout, effect) = match self.carry_out(&op.op, &before).map_err(in_place)? {
            Reshaped::View(layout) => (layout, Effect::View),
            Reshaped::Copy(layout) => {
                bytes(layout.numel(), self.origin.elem_size).map_err(|e| in_place(e.into()))?;
                (layout, Effect::Copy)
            }
        };
        let why = why::in_words(&op.op, &before, &layout, effect, self.storage_len());
        let storage = self.storage() + usize::from(effect == Effect::Copy);
        let op = text[op.at.clone()].to_owned();
        self.steps.push(Step { op, before, layout, effect, why, storage });
        Ok(&self.steps[self.steps.len() - 1])
    }

    /// What the chain started from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The operations carried out so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The layout after the operations carried out so far.
    pub fn layout(&self) -> &Layout {
        self.steps.last().map_or(&self.origin.layout, |step| &step.layout)
    }

    /// Whether the result is a view of the source.
    pub fn shares_storage(&self) -> bool {
        self.storage() == 0
    }

    /// For each element of the result, in logical row-major order, the element of the source's
    /// storage it came from, through every copy.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`], pointing at the whole of `text`, when the result or a copy
    /// on the way has more than [`Trace::ORDER_LIMIT`] elements.
    pub fn order(&self, text: &str) -> Result<Vec<usize>, SpecError> {
        let copies = self.steps.iter().filter(|step| step.effect == Effect::Copy);
        let layouts = copies.clone().map(|step| &step.layout).chain([self.layout()]);
        if let Some(most) = layouts.map(Layout::numel).find(|&numel| numel > Self::ORDER_LIMIT) {
            let limit = Self::ORDER_LIMIT;
            let message = format!("an order is listed for at most {limit} elements, not {most}");
            return Err(SpecError::new(ErrorKind::Unsupported, message, 0..text.len()));
        }
        // Where the elements of the storage reached so far came from; the source's are its own.
        let mut sources: Option<Vec<usize>> = None;
        let come_from = |sources: &Option<Vec<usize>>, element: usize| {
            sources.as_ref().map_or(element, |sources| sources[element])
        };
        for copy in copies {
            let mut copied = vec![0; copy.layout.numel()];
            for (from, to) in copy.before.storage_order().zip(copy.layout.storage_order()) {
                copied[to] = come_from(&sources, from);
            }
            sources = Some(copied);
        }
        Ok(self.layout().storage_order().map(|element| come_from(&sources, element)).collect())
    }

    /// The most elements [`Trace::order`] lists.
    pub const ORDER_LIMIT: usize = 1 << 24;

    fn storage(&self) -> usize {
        self.steps.last().map_or(0, |step| step.storage)
    }

    /// Length of the storage reached so far, in elements.
    fn storage_len(&self) -> usize {
        let last_copy = self.steps.iter().rev().find(|step| step.effect == Effect::Copy);
        last_copy.map_or(self.origin.storage_len, |step| step.layout.numel())
    }

    fn carry_out(&self, op: &Op, layout: &Layout) -> Result<Reshaped, Fault> {
        let view = match op {
            // These copy where they must.
            Op::Flatten(start, end) => return Ok(layout.flatten(*start, *end)?),
            Op::Reshape(shape) => return Ok(layout.reshape(shape)?),
            Op::Contiguous(format) => return Ok(layout.to_memory_format(*format)?),
            Op::Clone(format) => return Ok(Reshaped::Copy(layout.dense_in(*format)?)),
            Op::Rearrange(pattern) => return pattern.apply(layout),
            // These never do.
            Op::T => layout.t(),
            Op::MatrixT => layout.mt()?,
            Op::SmallT if layout.rank() > 2 => {
                let message = format!("`.t()` takes at most 2 axes, not {}", layout.rank());
                return Err(Fault::new(ErrorKind::BadAxis, message));
            }
            Op::SmallT => layout.t(),
            Op::Permute(axes) => layout.permute(axes)?,
            Op::Transpose(a, b) => layout.transpose(*a, *b)?,
            Op::Movedim(from, to) => layout.movedim(from, to)?,
            Op::Flip(axes) => layout.flip(axes)?,
            Op::Squeeze => layout.squeeze(),
            Op::SqueezeDims(axes) => layout.squeeze_dims(axes)?,
            Op::Unsqueeze(axis) => layout.unsqueeze(*axis)?,
            Op::Expand(shape) => layout.expand(shape)?,
            Op::Narrow { dim, start, length } => layout.narrow(*dim, *start, *length)?,
            Op::Select { dim, index } => layout.select(*dim, *index)?,
            Op::Index(items) => layout.index(items)?,
            Op::Diagonal { offset, dim1, dim2 } => layout.diagonal(*offset, *dim1, *dim2)?,
            Op::Unfold { dim, size, step } => layout.unfold(*dim, *size, *step)?,
            Op::AsStrided { shape, strides, offset } => {
                layout.as_strided(shape, strides, *offset, self.storage_len())?
            }
            Op::Unflatten(axis, sizes) => layout.unflatten(*axis, sizes)?,
            Op::View(shape) => layout.view(shape)?,
        };
        Ok(Reshaped::View(view))
    }
}

/// Refuses a storage of more than `isize::MAX` bytes.
fn bytes(numel: usize, elem_size: usize) -> Result<(), LayoutError> {
    match numel.checked_mul(elem_size).filter(|&bytes| isize::try_from(bytes).is_ok()) {
        Some(_) => Ok(()),
        None => Err(LayoutError::Overflow {
            what: format!("the size of {numel} elements of {elem_size} bytes each"),
        }),
    }
}

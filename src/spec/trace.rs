//! Carries the operations of a spec out, one after the other, on layouts alone.

use core::ops::Range;

use super::parse::OpAt;
use super::{DType, Op, SpecError, why};
use crate::error::{ErrorKind, LayoutError, counted};
use crate::layout::{IndexItem, Layout, Reshaped};

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

/// A copy on the way: element `i` of `from` goes to element `i` of `to`. Both have one shape,
/// not necessarily that of the operation's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyStep {
    /// Where the elements are read, in the storage reached so far.
    pub from: Layout,
    /// Where they are written, in a new storage that they fill exactly.
    pub to: Layout,
}

/// One operation carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation as the spec writes it.
    pub op: String,
    /// The layout of the result.
    pub layout: Layout,
    /// The copy it took; `None` when the result shares its input's storage.
    pub copy: Option<CopyStep>,
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
    /// Length of the storage reached so far, in elements.
    storage_len: usize,
}

impl Trace {
    /// Before any operation.
    pub fn start(origin: Origin) -> Self {
        Self { storage_len: origin.storage_len, origin, steps: Vec::new() }
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
        let in_place = |fault: Fault| {
            let at = item_at_fault(op, self.layout()).unwrap_or(op.at.clone());
            SpecError::new(fault.kind, fault.message, at)
        };
        let (layout, copy) = self.carry_out(&op.op).map_err(in_place)?;
        if copy.is_some() {
            bytes(layout.numel(), self.origin.elem_size).map_err(|e| in_place(e.into()))?;
        }
        let why = why::in_words(&op.op, self.layout(), &layout, copy.as_ref(), self.storage_len);
        let storage = self.storage() + usize::from(copy.is_some());
        if let Some(copy) = &copy {
            self.storage_len = copy.to.numel();
        }
        let op = text[op.at.clone()].to_owned();
        self.steps.push(Step { op, layout, copy, why, storage });
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
        let copies = self.steps.iter().filter_map(|step| step.copy.as_ref());
        let layouts = copies.clone().map(|copy| &copy.to).chain([self.layout()]);
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
            let mut copied = vec![0; copy.to.numel()];
            for (from, to) in copy.from.storage_order().zip(copy.to.storage_order()) {
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

    /// The layout `op` leads to, and the copy it takes.
    fn carry_out(&self, op: &Op) -> Result<(Layout, Option<CopyStep>), Fault> {
        let layout = self.layout();
        let view = match op {
            // These copy where they must.
            Op::Flatten(start, end) => return reshaped(layout, layout.flatten(*start, *end)?),
            Op::Reshape(shape) => return reshaped(layout, layout.reshape(shape)?),
            Op::Rearrange(pattern) => {
                let (permuted, merged) = pattern.apply(layout)?;
                return reshaped(&permuted, merged);
            }
            Op::Contiguous(format) => match layout.to_memory_format(*format)? {
                Reshaped::View(same) => same,
                Reshaped::Copy(to) => return Ok(copied(layout, to)),
            },
            Op::Clone(format) => return Ok(copied(layout, layout.dense_in(*format)?)),
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
                layout.as_strided(shape, strides, *offset, self.storage_len)?
            }
            Op::Unflatten(axis, sizes) => layout.unflatten(*axis, sizes)?,
            Op::View(shape) => layout.view(shape)?,
        };
        Ok((view, None))
    }
}

/// Where the first item of a failed index stands that fails even if all others keep their axes
/// whole; `None` when it is not one item's fault.
fn item_at_fault(op: &OpAt, layout: &Layout) -> Option<Range<usize>> {
    let Op::Index(items) = &op.op else { return None };
    let whole = IndexItem::Slice { start: None, stop: None, step: None };
    let spared = |fault: Option<usize>| {
        let spare = |(place, item): (usize, &IndexItem)| match item {
            IndexItem::Int(_) | IndexItem::Slice { .. } if fault != Some(place) => whole,
            item => *item,
        };
        layout.index(&items.iter().enumerate().map(spare).collect::<Vec<_>>())
    };
    spared(None).ok()?;
    (0..items.len()).find(|&place| spared(Some(place)).is_err()).map(|i| op.items_at[i].clone())
}

/// A reshape of `layout`, which copies it into row-major order where it is no view.
fn reshaped(layout: &Layout, result: Reshaped) -> Result<(Layout, Option<CopyStep>), Fault> {
    Ok(match result {
        Reshaped::View(view) => (view, None),
        Reshaped::Copy(result) => {
            let to = Layout::contiguous(layout.shape())?;
            (result, Some(CopyStep { from: layout.clone(), to }))
        }
    })
}

/// A copy of `layout` that keeps its shape.
fn copied(layout: &Layout, to: Layout) -> (Layout, Option<CopyStep>) {
    (to.clone(), Some(CopyStep { from: layout.clone(), to }))
}

/// Refuses a storage of more than `isize::MAX` bytes.
fn bytes(numel: usize, elem_size: usize) -> Result<(), LayoutError> {
    match numel.checked_mul(elem_size).filter(|&bytes| isize::try_from(bytes).is_ok()) {
        Some(_) => Ok(()),
        None => Err(LayoutError::Overflow {
            what: format!(
                "the size of {numel} elements of {} each",
                counted(elem_size, "byte", "bytes")
            ),
        }),
    }
}

//! The copy as the libraries see it.

use restride::analysis::Normalized;
use restride::bench::record::Destination;
use restride::bench::strategy::Setup;

/// One copy into dense row-major memory. Everything is in elements.
pub struct Task<'a> {
    /// Sizes of the axes, in the order of the output; none is 1.
    pub shape: Vec<usize>,
    /// Source strides of the axes, of either sign or 0.
    pub strides: Vec<isize>,
    /// Where the source's element `[0, …, 0]` is, from the lowest element that is read.
    pub first: usize,
    /// Elements of the output.
    pub len: usize,
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub elem_size: usize,
    /// The memory that the copy reads, from the lowest element on, and perhaps more.
    pub source: &'a [u8],
    /// The same copy between matrices, if it is one.
    pub flat: Option<Flat>,
    /// Threads allowed.
    pub threads: usize,
    /// Memory that will be written.
    pub destination: Destination,
}

/// A copy into a dense row-major matrix. Everything is in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flat {
    /// Rows of the output.
    pub rows: usize,
    /// Columns of the output.
    pub cols: usize,
    /// Source stride from row to row.
    pub row_stride: isize,
    /// Source stride from column to column.
    pub col_stride: isize,
}

impl Flat {
    /// Whether the source is a dense matrix of `cols` rows and `rows` columns: a plain transpose.
    pub fn is_transpose(&self) -> bool {
        self.row_stride == 1 && usize::try_from(self.col_stride) == Ok(self.rows)
    }

    /// The strides, if neither is negative.
    pub fn forward(&self) -> Option<(usize, usize)> {
        Some((usize::try_from(self.row_stride).ok()?, usize::try_from(self.col_stride).ok()?))
    }
}

/// A dense row-major tensor that the copy's source is a part of, if one can be found: what a
/// library without arbitrary strides starts from.
pub struct Embedding {
    /// Shape of the tensor.
    pub dims: Vec<usize>,
    /// How much of each of its axes is read, from 0 on.
    pub sizes: Vec<usize>,
    /// For each axis of the task, its axis of the tensor; `None` where it is broadcast.
    pub axes: Vec<Option<usize>>,
}

impl Embedding {
    /// Whether the whole tensor is read, each element once.
    #[cfg(feature = "hptt")]
    pub fn is_permutation(&self) -> bool {
        self.dims == self.sizes && self.axes.iter().all(Option::is_some)
    }
}

impl<'a> Task<'a> {
    /// The task of a run; `None` where elements have no type of their size or lie between the
    /// elements of an array.
    pub fn of(setup: &Setup<'a>) -> Option<Self> {
        let copy = &setup.case.copy;
        let elem_size = copy.elem_size;
        let source = setup.source.bytes();
        let aligned = source.as_ptr().addr().is_multiple_of(elem_size.min(8));
        if !matches!(elem_size, 1 | 2 | 4 | 8 | 16) || !aligned {
            return None;
        }
        let elements = |stride: isize| {
            let size = elem_size as isize;
            (stride % size == 0).then_some(stride / size)
        };
        let mut axes: Vec<usize> =
            (0..copy.shape.len()).filter(|&axis| copy.shape[axis] > 1).collect();
        // The destination is dense: in this order it is row-major.
        axes.sort_by_key(|&axis| core::cmp::Reverse(copy.dst_strides[axis]));
        let shape: Vec<usize> = axes.iter().map(|&axis| copy.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| elements(copy.src_strides[axis]));
        let strides: Vec<isize> = strides.collect::<Option<_>>()?;

        let normal = Normalized::of(copy).ok()?;
        let mut loops = Vec::new();
        for axis in &normal.axes {
            loops.push((axis.len, elements(axis.src)?));
        }
        if normal.run > elem_size {
            loops.push((normal.run / elem_size, 1));
        }
        let flat = match loops[..] {
            [] => Some(Flat { rows: 1, cols: 1, row_stride: 1, col_stride: 1 }),
            [(cols, col_stride)] => Some(Flat { rows: 1, cols, row_stride: 1, col_stride }),
            [(rows, row_stride), (cols, col_stride)] => {
                Some(Flat { rows, cols, row_stride, col_stride })
            }
            _ => None,
        };
        Some(Self {
            len: shape.iter().product(),
            shape,
            strides,
            first: setup.case.first / elem_size,
            elem_size,
            source,
            flat,
            threads: setup.threads,
            destination: setup.destination,
        })
    }

    /// The strides, if none is negative.
    pub fn forward(&self) -> Option<Vec<usize>> {
        self.strides.iter().map(|&stride| stride.try_into().ok()).collect()
    }

    /// Whether the source is dense and in the output's order already.
    pub fn is_dense(&self) -> bool {
        let mut dense = 1;
        self.shape.iter().zip(&self.strides).rev().all(|(&size, &stride)| {
            let expected = dense;
            dense *= size;
            usize::try_from(stride) == Ok(expected)
        })
    }

    /// A dense tensor around the source.
    pub fn embedding(&self) -> Option<Embedding> {
        let strides = self.forward()?;
        let mut order: Vec<usize> = (0..strides.len()).filter(|&axis| strides[axis] != 0).collect();
        order.sort_by_key(|&axis| core::cmp::Reverse(strides[axis]));
        let mut embedding =
            Embedding { dims: Vec::new(), sizes: Vec::new(), axes: vec![None; strides.len()] };
        let mut outer: Option<usize> = None;
        for (at, &axis) in order.iter().enumerate() {
            let (size, stride) = (self.shape[axis], strides[axis]);
            let dim = match outer.replace(stride) {
                None => size,
                Some(outer) if outer % stride == 0 && outer / stride >= size => outer / stride,
                Some(_) => return None,
            };
            embedding.dims.push(dim);
            embedding.sizes.push(size);
            embedding.axes[axis] = Some(at);
        }
        if let Some(step) = outer.filter(|&step| step > 1) {
            embedding.dims.push(step);
            embedding.sizes.push(1);
        }
        Some(embedding)
    }
}

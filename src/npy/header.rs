//! The header of a `.npy` file: magic, version, and a Python dictionary in text.

use crate::error::LayoutError;
use crate::layout::{Layout, MAX_RANK};

use super::descr;
use super::error::HeaderError;
use super::literal::{self, Fault, Node, Value};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy begins the data at a multiple of this many bytes.
const ALIGNMENT: usize = 64;
/// NumPy leaves room for the growing axis to reach this many digits.
const GROWTH_DIGITS: usize = 21;

/// What the header of a `.npy` file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major version of the format: 1, 2 or 3.
    pub version: u8,
    /// The dtype's description as the file spells it, a Python literal such as `'<f4'`.
    pub descr: String,
    /// Bytes of one item, at least 1.
    pub item_size: usize,
    /// Whether the data are column-major.
    pub fortran_order: bool,
    /// Sizes of the axes, in items.
    pub shape: Vec<usize>,
    /// Position of the first item in the file, in bytes.
    pub data_offset: usize,
    layout: Layout,
    data_len: usize,
}

impl Header {
    /// The dtype for people and programs: a type string without its quotes (`<f4`), anything else
    /// as the file spells it.
    pub fn dtype(&self) -> &str {
        let without = |quote| self.descr.strip_prefix(quote)?.strip_suffix(quote);
        without('\'').or_else(|| without('"')).unwrap_or(&self.descr)
    }

    /// Reads the header at the beginning of `file`, which may be the whole file or any part of
    /// it that holds the header. Nothing is allocated on the word of a declared length.
    ///
    /// # Errors
    /// [`HeaderError`], with the position of the fault where there is one.
    pub fn parse(file: &[u8]) -> Result<Self, HeaderError> {
        if !file.starts_with(MAGIC) {
            return Err(HeaderError::BadMagic);
        }
        let version = match *file.get(6..8).ok_or_else(|| truncated(8, file))? {
            [major @ 1..=3, 0] => major,
            [major, minor] => return Err(HeaderError::UnknownVersion { major, minor }),
            _ => return Err(truncated(8, file)),
        };
        let length_bytes = if version == 1 { 2 } else { 4 };
        let start = 8 + length_bytes;
        let length = file.get(8..start).ok_or_else(|| truncated(start as u64, file))?;
        let length = length.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
        let end = start as u64 + length;
        let data_offset = usize::try_from(end).map_err(|_| truncated(end, file))?;
        let text = file.get(start..data_offset).ok_or_else(|| truncated(end, file))?;

        let in_file = |fault: Fault| text_error(start + fault.at, fault.message);
        if version == 3
            && let Err(error) = core::str::from_utf8(text)
        {
            let fault = Fault::new(error.valid_up_to(), "not UTF-8, as version 3 requires");
            return Err(in_file(fault));
        }
        let fields = Fields::read(text).map_err(in_file)?;
        let shape = fields.shape().map_err(in_file)?;
        let fortran_order = fields.fortran_order().map_err(in_file)?;
        let item_size = descr::item_size(&fields.descr).map_err(in_file)?;
        let descr = decode(version, &text[fields.descr.span.clone()]);

        let layout = match fortran_order {
            true => Layout::column_major(&shape)?,
            false => Layout::contiguous(&shape)?,
        };
        let data_len = data_len(&shape, item_size)?;
        Ok(Self { version, descr, item_size, fortran_order, shape, data_offset, layout, data_len })
    }

    /// The layout of the items in the file: dense, row- or column-major, strides in items.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Bytes of all items together.
    pub fn data_len(&self) -> usize {
        self.data_len
    }

    /// The header of a file with this one's items in a dense row-major array of `shape`, its
    /// length a multiple of 64 bytes. The format's version is the lowest that can hold it.
    ///
    /// # Errors
    /// [`HeaderError`] when the array would not fit the address space, or the text 4 GiB.
    pub fn encode_row_major(&self, shape: &[usize]) -> Result<Vec<u8>, HeaderError> {
        data_len(shape, self.item_size)?;
        let mut text = format!(
            "{{'descr': {}, 'fortran_order': False, 'shape': {}, }}",
            self.descr,
            tuple(shape)
        );
        if let Some(first) = shape.first() {
            let room = GROWTH_DIGITS.saturating_sub(first.to_string().len());
            text.extend(core::iter::repeat_n(' ', room));
        }
        let latin1: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
        let (lowest, text) = match latin1 {
            Some(bytes) => (1, bytes),
            None => (3, text.into_bytes()),
        };

        // Spaces and a final line feed, at least one space, up to the alignment.
        let padded = |length_bytes: usize| {
            let unpadded = 8 + length_bytes + text.len() + 1;
            text.len() + 1 + ALIGNMENT - unpadded % ALIGNMENT
        };
        let (version, length_field) = match u16::try_from(padded(2)) {
            Ok(length) if lowest == 1 => (1, length.to_le_bytes().to_vec()),
            _ => match u32::try_from(padded(4)) {
                Ok(length) => (lowest.max(2), length.to_le_bytes().to_vec()),
                Err(_) => return Err(text_error(8, "the header exceeds 4 GiB")),
            },
        };
        let mut header = [MAGIC, &[version, 0][..], &length_field, &text].concat();
        let end = 8 + length_field.len() + padded(length_field.len());
        header.resize(end - 1, b' ');
        header.push(b'\n');
        Ok(header)
    }
}

/// The three entries of the dictionary.
struct Fields<'a> {
    descr: Node<'a>,
    fortran_order: Node<'a>,
    shape: Node<'a>,
    text: &'a [u8],
}

impl<'a> Fields<'a> {
    fn read(text: &'a [u8]) -> Result<Self, Fault> {
        let node = literal::parse(text)?;
        let start = node.span.start;
        let Value::Dict(entries) = node.value else {
            return Err(Fault::new(start, "the header is not a dictionary"));
        };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        for (key, value) in entries {
            let slot = match key.value {
                Value::Str(b"descr") => &mut descr,
                Value::Str(b"fortran_order") => &mut fortran_order,
                Value::Str(b"shape") => &mut shape,
                _ => {
                    let message = format!(
                        "unexpected key {}; the keys are descr, fortran_order and shape",
                        literal::quote(&text[key.span.clone()])
                    );
                    return Err(Fault::new(key.span.start, message));
                }
            };
            if slot.replace(value).is_some() {
                let message =
                    format!("key {} given twice", literal::quote(&text[key.span.clone()]));
                return Err(Fault::new(key.span.start, message));
            }
        }
        let missing = |key| Fault::new(start, format!("key '{key}' is missing"));
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
            text,
        })
    }

    fn written(&self, node: &Node) -> String {
        literal::quote(&self.text[node.span.clone()])
    }

    fn shape(&self) -> Result<Vec<usize>, Fault> {
        let at = self.shape.span.start;
        let axes = match &self.shape.value {
            Value::Tuple(axes) => axes,
            Value::Int(only) => {
                let message = format!(
                    "shape {} is not a tuple; one axis is written ({only},)",
                    self.written(&self.shape)
                );
                return Err(Fault::new(at, message));
            }
            _ => {
                let message = format!("shape {} is not a tuple", self.written(&self.shape));
                return Err(Fault::new(at, message));
            }
        };
        if axes.len() > MAX_RANK {
            let message = format!("{} axes; the limit is {MAX_RANK}", axes.len());
            return Err(Fault::new(at, message));
        }
        axes.iter()
            .map(|axis| match axis.value {
                Value::Int(size) => Ok(size),
                _ => {
                    let message = format!("size {} is not a whole number", self.written(axis));
                    Err(Fault::new(axis.span.start, message))
                }
            })
            .collect()
    }

    fn fortran_order(&self) -> Result<bool, Fault> {
        match self.fortran_order.value {
            Value::Bool(fortran_order) => Ok(fortran_order),
            _ => {
                let written = self.written(&self.fortran_order);
                let message = format!("fortran_order is {written}, neither True nor False");
                Err(Fault::new(self.fortran_order.span.start, message))
            }
        }
    }
}

fn text_error(at: usize, message: impl Into<String>) -> HeaderError {
    HeaderError::Text { at, message: message.into() }
}

fn truncated(need: u64, file: &[u8]) -> HeaderError {
    HeaderError::Truncated { need, have: file.len() as u64 }
}

/// Versions 1 and 2 are Latin-1, whose characters are Unicode's first 256; version 3 is UTF-8.
fn decode(version: u8, bytes: &[u8]) -> String {
    if version < 3 {
        return bytes.iter().copied().map(char::from).collect();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// `shape` as Python writes a tuple.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn data_len(shape: &[usize], item_size: usize) -> Result<usize, LayoutError> {
    shape
        .iter()
        // Zeros would hide that the other sizes overflow.
        .try_fold(item_size, |len, &size| len.checked_mul(size.max(1)))
        .filter(|&len| isize::try_from(len).is_ok())
        .map(|len| if shape.contains(&0) { 0 } else { len })
        .ok_or_else(|| LayoutError::Overflow {
            what: format!("size of shape {} with items of {item_size} bytes", tuple(shape)),
        })
}

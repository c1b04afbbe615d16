//! From a call as written to the operation meant: names, keywords and defaults as PyTorch has
//! them.

use core::ops::Range;

use super::op::Op;
use super::rearrange::Rearrange;
use super::value::{Argument, Spanned, Value};
use super::{SpecError, consumer};
use crate::error::ErrorKind;
use crate::layout::MemoryFormat;

/// `.name` or `.name(arguments)` as it stands in a spec.
pub(super) struct Call<'a> {
    pub name: &'a str,
    pub name_at: Range<usize>,
    /// From the dot to the closing parenthesis.
    pub at: Range<usize>,
    /// `None` for an attribute.
    pub arguments: Option<Vec<Argument>>,
}

/// How a name is to be called.
enum Form {
    /// Without parentheses.
    Attribute,
    /// One list of integers: bare, as a tuple, as a list, or by this keyword.
    Variadic(&'static str),
    /// These parameters, in this order; a default makes one optional.
    Fixed(&'static [&'static str]),
    /// A pattern, then axis sizes by keyword.
    Pattern,
}

/// Every name a spec may call, in the order a message lists them.
const SIGNATURES: &[(&str, Form)] = &[
    ("T", Form::Attribute),
    ("mT", Form::Attribute),
    ("t", Form::Fixed(&[])),
    ("permute", Form::Variadic("dims")),
    ("transpose", Form::Fixed(&["dim0", "dim1"])),
    ("swapaxes", Form::Fixed(&["axis0", "axis1"])),
    ("swapdims", Form::Fixed(&["dim0", "dim1"])),
    ("movedim", Form::Fixed(&["source", "destination"])),
    ("moveaxis", Form::Fixed(&["source", "destination"])),
    ("flip", Form::Variadic("dims")),
    ("squeeze", Form::Fixed(&["dim"])),
    ("unsqueeze", Form::Fixed(&["dim"])),
    ("expand", Form::Variadic("size")),
    ("broadcast_to", Form::Variadic("size")),
    ("narrow", Form::Fixed(&["dim", "start", "length"])),
    ("select", Form::Fixed(&["dim", "index"])),
    ("diagonal", Form::Fixed(&["offset", "dim1", "dim2"])),
    ("unfold", Form::Fixed(&["dimension", "size", "step"])),
    ("as_strided", Form::Fixed(&["size", "stride", "storage_offset"])),
    ("flatten", Form::Fixed(&["start_dim", "end_dim"])),
    ("unflatten", Form::Fixed(&["dim", "sizes"])),
    ("view", Form::Variadic("size")),
    ("reshape", Form::Variadic("shape")),
    ("contiguous", Form::Fixed(&["memory_format"])),
    ("clone", Form::Fixed(&["memory_format"])),
    ("rearrange", Form::Pattern),
];

/// Understands `call`.
///
/// # Errors
/// An unknown name, or arguments the operation does not take.
pub(super) fn bind(call: &Call<'_>) -> Result<Op, SpecError> {
    let Some((name, form)) = SIGNATURES.iter().find(|(name, _)| *name == call.name) else {
        return Err(unknown(call));
    };
    let arguments = match (form, &call.arguments) {
        (Form::Attribute, Some(_)) => {
            let message = format!("`.{name}` is an attribute: write it without parentheses");
            return Err(SpecError::syntax(message, call.at.clone()));
        }
        (Form::Attribute, None) => {
            return Ok(if *name == "T" { Op::T } else { Op::MatrixT });
        }
        (_, None) => {
            let message = format!("`.{name}` is a method: write `.{name}(…)`");
            return Err(SpecError::syntax(message, call.at.clone()));
        }
        (_, Some(arguments)) => arguments,
    };
    match form {
        Form::Attribute => unreachable!("attributes have returned"),
        Form::Variadic(keyword) => {
            let ints = variadic(call, arguments, keyword)?;
            Ok(match *name {
                "permute" => Op::Permute(ints),
                "flip" => Op::Flip(ints),
                "expand" | "broadcast_to" => Op::Expand(ints),
                "view" => Op::View(ints),
                _ => Op::Reshape(ints),
            })
        }
        Form::Fixed(parameters) => fixed(&Bound::new(call, arguments, parameters)?),
        Form::Pattern => pattern(call, arguments).map(Op::Rearrange),
    }
}

/// The one axis a call may name, or none.
pub(super) fn optional_dim(call: &Call<'_>) -> Result<Option<isize>, SpecError> {
    Bound::new(call, call.arguments.as_deref().unwrap_or_default(), &["dim"])?.optional_int(0)
}

fn fixed(bound: &Bound<'_>) -> Result<Op, SpecError> {
    Ok(match bound.call.name {
        "t" => Op::SmallT,
        "transpose" | "swapaxes" | "swapdims" => Op::Transpose(bound.int(0)?, bound.int(1)?),
        "movedim" | "moveaxis" => Op::Movedim(bound.int_or_ints(0)?, bound.int_or_ints(1)?),
        "squeeze" if bound.slots[0].is_none() => Op::Squeeze,
        "squeeze" => Op::SqueezeDims(bound.int_or_ints(0)?),
        "unsqueeze" => Op::Unsqueeze(bound.int(0)?),
        "narrow" => Op::Narrow { dim: bound.int(0)?, start: bound.int(1)?, length: bound.int(2)? },
        "select" => Op::Select { dim: bound.int(0)?, index: bound.int(1)? },
        "diagonal" => Op::Diagonal {
            offset: bound.int_or(0, 0)?,
            dim1: bound.int_or(1, 0)?,
            dim2: bound.int_or(2, 1)?,
        },
        "unfold" => Op::Unfold { dim: bound.int(0)?, size: bound.int(1)?, step: bound.int(2)? },
        "as_strided" => Op::AsStrided {
            shape: bound.ints(0)?,
            strides: bound.ints(1)?,
            offset: bound.optional_int(2)?,
        },
        "flatten" => Op::Flatten(bound.int_or(0, 0)?, bound.int_or(1, -1)?),
        "unflatten" => Op::Unflatten(bound.int(0)?, bound.ints(1)?),
        "contiguous" => match bound.memory_format(MemoryFormat::Contiguous)? {
            MemoryFormat::Preserve => {
                let message = "`.contiguous` has no order to preserve; `.clone()` does";
                return Err(SpecError::new(ErrorKind::Unsupported, message, bound.call.at.clone()));
            }
            format => Op::Contiguous(format),
        },
        _ => Op::Clone(bound.memory_format(MemoryFormat::Preserve)?),
    })
}

/// Arguments put to the parameters they are for.
struct Bound<'a> {
    call: &'a Call<'a>,
    parameters: &'static [&'static str],
    slots: Vec<Option<&'a Spanned>>,
}

impl<'a> Bound<'a> {
    fn new(
        call: &'a Call<'a>,
        arguments: &'a [Argument],
        parameters: &'static [&'static str],
    ) -> Result<Self, SpecError> {
        let mut bound = Self { call, parameters, slots: vec![None; parameters.len()] };
        for (position, argument) in arguments.iter().enumerate() {
            let slot = match &argument.keyword {
                None if position < parameters.len() => position,
                None => {
                    let message = format!("one argument too many: {}", bound.usage());
                    return Err(SpecError::syntax(message, argument.value.at.clone()));
                }
                Some((keyword, at)) => {
                    // PyTorch also takes NumPy's name for `dim`.
                    let wanted = if keyword == "axis" { "dim" } else { keyword };
                    parameters.iter().position(|known| *known == wanted).ok_or_else(|| {
                        let message = format!("no parameter `{keyword}`: {}", bound.usage());
                        SpecError::syntax(message, at.clone())
                    })?
                }
            };
            if bound.slots[slot].replace(&argument.value).is_some() {
                let message = format!("`{}` is given twice", parameters[slot]);
                return Err(SpecError::syntax(message, argument.value.at.clone()));
            }
        }
        Ok(bound)
    }

    fn usage(&self) -> String {
        format!("write .{}({})", self.call.name, self.parameters.join(", "))
    }

    fn required(&self, slot: usize) -> Result<&'a Spanned, SpecError> {
        self.slots[slot].ok_or_else(|| {
            let message = format!("`{}` is missing: {}", self.parameters[slot], self.usage());
            SpecError::syntax(message, self.call.at.clone())
        })
    }

    fn int(&self, slot: usize) -> Result<isize, SpecError> {
        int(self.required(slot)?, self.parameters[slot])
    }

    fn int_or(&self, slot: usize, default: isize) -> Result<isize, SpecError> {
        self.slots[slot].map_or(Ok(default), |value| int(value, self.parameters[slot]))
    }

    fn optional_int(&self, slot: usize) -> Result<Option<isize>, SpecError> {
        match self.slots[slot] {
            None => Ok(None),
            Some(value) if value.value == Value::Name("None".into()) => Ok(None),
            Some(value) => int(value, self.parameters[slot]).map(Some),
        }
    }

    fn ints(&self, slot: usize) -> Result<Vec<isize>, SpecError> {
        let given = self.required(slot)?;
        match &given.value {
            Value::Seq(items) => ints(items, self.parameters[slot]),
            _ => {
                let name = self.parameters[slot];
                let message = format!("`{name}` must be a tuple or a list, such as (2, 3)");
                Err(SpecError::syntax(message, given.at.clone()))
            }
        }
    }

    fn int_or_ints(&self, slot: usize) -> Result<Vec<isize>, SpecError> {
        let given = self.required(slot)?;
        match &given.value {
            Value::Seq(items) => ints(items, self.parameters[slot]),
            _ => Ok(vec![int(given, self.parameters[slot])?]),
        }
    }

    fn memory_format(&self, default: MemoryFormat) -> Result<MemoryFormat, SpecError> {
        let Some(given) = self.slots[0] else { return Ok(default) };
        let name = match &given.value {
            Value::Name(name) => name.strip_prefix("torch.").unwrap_or(name),
            _ => "",
        };
        match name {
            "contiguous_format" => Ok(MemoryFormat::Contiguous),
            "channels_last" => Ok(MemoryFormat::ChannelsLast),
            "channels_last_3d" => Ok(MemoryFormat::ChannelsLast3d),
            "preserve_format" => Ok(MemoryFormat::Preserve),
            _ => Err(SpecError::syntax(
                "memory formats are contiguous_format, channels_last, channels_last_3d and \
                 preserve_format",
                given.at.clone(),
            )),
        }
    }
}

fn int(given: &Spanned, what: &str) -> Result<isize, SpecError> {
    match given.value {
        Value::Int(value) => Ok(value),
        _ => Err(SpecError::syntax(format!("`{what}` must be an integer"), given.at.clone())),
    }
}

fn ints(items: &[Spanned], what: &str) -> Result<Vec<isize>, SpecError> {
    items.iter().map(|item| int(item, what)).collect()
}

/// Integers given bare, as one tuple or list, or by keyword.
fn variadic(
    call: &Call<'_>,
    arguments: &[Argument],
    keyword: &str,
) -> Result<Vec<isize>, SpecError> {
    let named = arguments.iter().find_map(|argument| argument.keyword.as_ref());
    if let Some((_, at)) = named.filter(|(given, _)| given != keyword || arguments.len() > 1) {
        let name = call.name;
        let message = format!("write .{name}(2, 3), .{name}((2, 3)) or .{name}({keyword}=(2, 3))");
        return Err(SpecError::syntax(message, at.clone()));
    }
    if let [Argument { value: Spanned { value: Value::Seq(items), .. }, .. }] = arguments {
        return ints(items, keyword);
    }
    if let ("view", [Argument { value, .. }]) = (call.name, arguments)
        && matches!(value.value, Value::Name(_))
    {
        let message = "viewing as another element type is not supported";
        return Err(SpecError::new(ErrorKind::Unsupported, message, value.at.clone()));
    }
    arguments.iter().map(|argument| int(&argument.value, keyword)).collect()
}

fn pattern(call: &Call<'_>, arguments: &[Argument]) -> Result<Rearrange, SpecError> {
    let [Argument { value: first, .. }, sizes @ ..] = arguments else {
        let message = "a pattern is missing: write .rearrange(\"b h w c -> b c h w\")";
        return Err(SpecError::syntax(message, call.at.clone()));
    };
    let Value::Str(text, at) = &first.value else {
        return Err(SpecError::syntax("the pattern must be a string", first.at.clone()));
    };
    let mut known = Vec::with_capacity(sizes.len());
    for argument in sizes {
        let Some((name, at)) = &argument.keyword else {
            let message = "axis sizes are given by keyword, such as h=2";
            return Err(SpecError::syntax(message, argument.value.at.clone()));
        };
        let size = int(&argument.value, name)?;
        let size = usize::try_from(size).map_err(|_| {
            let message = format!("axis `{name}` cannot have the negative size {size}");
            SpecError::new(ErrorKind::BadDim, message, argument.value.at.clone())
        })?;
        known.push((name.clone(), size, at.clone()));
    }
    Rearrange::parse(text, at.start, &known)
}

/// The error for a name no operation has, with the nearest one that exists.
fn unknown(call: &Call<'_>) -> SpecError {
    let names = || SIGNATURES.iter().map(|(name, _)| *name).chain(consumer::NAMES);
    let nearest = names()
        .map(|name| (distance(name, call.name), name))
        .filter(|&(distance, name)| distance * 2 <= name.len())
        .min();
    let message = match nearest {
        Some((_, name)) => format!("no operation `.{}`; is `.{name}` meant?", call.name),
        None => {
            let names: Vec<&str> = names().collect();
            format!("no operation `.{}`; there are {}", call.name, names.join(" "))
        }
    };
    SpecError::syntax(message, call.name_at.clone())
}

/// Edits (insert, delete, replace) between two names; both are capped at 32 bytes, which no
/// operation exceeds.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (&a.as_bytes()[..a.len().min(32)], &b.as_bytes()[..b.len().min(32)]);
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

//! The explanation for people: a table of steps, then every copy and what it costs.

use std::io::{self, Write};

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use indicatif::HumanBytes;

use super::{Explained, how_read};
use crate::bench::sequence::resolve::Reading;
use crate::cli::cost::{Cost, Touched};
use crate::layout::Layout;
use crate::spec::Trace;

/// A line below the header and nothing else.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

/// Columns of the table where the terminal does not say how many there are.
const WIDTH: u16 = 100;

/// Writes the explanation of a spec that was carried out to its end in `trace`.
pub fn write(explained: &Explained<'_>, trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", table(explained.source, trace).trim_fmt())?;
    let elem_size = trace.origin().elem_size;
    for step in trace.steps() {
        let Some(copy) = &step.copy else { continue };
        writeln!(out, "\ncopy by {}", step.op)?;
        write_cost(&copy.from, &copy.to, elem_size, out)?;
    }
    let result = trace.layout();
    let dense = Layout::contiguous(result.shape()).ok();
    writeln!(out, "\n{}", summary(trace))?;
    for (place, reading) in explained.readings.iter().enumerate() {
        let Reading { text, reads, makes, .. } = reading;
        writeln!(out, "\n{text} of {reads:?} makes {makes:?}")?;
        writeln!(out, "  {}", how_read(place, reading, trace))?;
    }
    if !explained.readings.is_empty() {
        writeln!(out, "  whether a dense copy first would pay: restride advise measures it")?;
    }
    if let Some(dense) = dense.filter(|_| !result.is_contiguous()) {
        writeln!(out, "\nto make it dense, a copy")?;
        write_cost(result, &dense, elem_size, out)?;
    }
    if let Some(order) = &explained.order {
        writeln!(out, "\norder (source elements in the result's order)\n{order:?}")?;
    }
    Ok(())
}

/// The least columns for the reasons, even where the table then is wider than the terminal.
const WHY_WIDTH: u16 = 36;

fn table(source: &str, trace: &Trace) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table.set_header(["operation", "shape", "strides", "offset", "storage", "why"]);
    // Only the reasons wrap: numbers are read as wholes.
    let mut constraints = vec![ColumnConstraint::ContentWidth; 5];
    constraints.push(ColumnConstraint::LowerBoundary(Width::Fixed(WHY_WIDTH)));
    let row = |op: &str, layout: &Layout, storage: &str, why: &str| {
        vec![
            Cell::new(op),
            Cell::new(format!("{:?}", layout.shape())),
            Cell::new(format!("{:?}", layout.strides())),
            Cell::new(layout.offset()).set_alignment(CellAlignment::Right),
            Cell::new(storage),
            Cell::new(why),
        ]
    };
    let origin = trace.origin();
    let size = size(origin.storage_len, origin.elem_size);
    table.add_row(row(source, &origin.layout, "source", &size));
    for step in trace.steps() {
        let storage = if step.copy.is_some() { "copied" } else { "shared" };
        table.add_row(row(&step.op, &step.layout, storage, &step.why));
    }
    table.set_constraints(constraints);
    table
}

/// The class, the plan and the traffic of one copy.
fn write_cost(
    from: &Layout,
    to: &Layout,
    elem_size: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(cost) = Cost::of(from, to, elem_size) else {
        return writeln!(out, "  no plan: the elements span more bytes than can be addressed");
    };
    let Cost { class, plan, source, destination, plain_loop_lines } = cost;
    writeln!(out, "  class    {class}")?;
    writeln!(out, "  plan     {plan}")?;
    writeln!(out, "  reads    {}", touched(source))?;
    writeln!(out, "  writes   {}", touched(destination))?;
    if plain_loop_lines > source.lines {
        let times = plain_loop_lines as f64 / source.lines as f64;
        writeln!(
            out,
            "  a plain loop would fetch {plain_loop_lines} source lines, {times:.1} times as many"
        )?;
    }
    Ok(())
}

fn touched(Touched { lines, pages }: Touched) -> String {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    format!("{lines} cache line{} in {pages} page{}", plural(lines), plural(pages))
}

/// What came out, in a sentence.
fn summary(trace: &Trace) -> String {
    let result = trace.layout();
    let copies = trace.steps().iter().filter(|step| step.copy.is_some()).count();
    let how = match copies {
        0 => "a view of the source, nothing copied".into(),
        1 => "one copy on the way".into(),
        n => format!("{n} copies on the way"),
    };
    let order = if result.is_contiguous() { "dense row-major" } else { "not dense row-major" };
    let size = size(result.numel(), trace.origin().elem_size);
    format!("{} {:?}: {size}, {how}, {order}", trace.origin().dtype, result.shape())
}

/// A number of elements, and what they weigh.
fn size(numel: usize, elem_size: usize) -> String {
    let elements = if numel == 1 { "element" } else { "elements" };
    let bytes = (numel as u64).saturating_mul(elem_size as u64);
    format!("{numel} {elements} of {elem_size} B, {}", HumanBytes(bytes))
}

// The logical side: the elements of a stage, as two-dimensional slices over the last two axes.

/** A face with more rows or columns than this is seen through a window. */
const WHOLE = 32;
/** All slices are shown at once up to so many elements, in so many slices. */
const FEW_ELEMENTS = 512;
const FEW_SLICES = 16;
/** Columns into which a vector is folded. */
const FOLD = 16;

/** The part of the elements that is drawn. */
const view = { slice: 0, row: 0, column: 0, side: 16, all: true };

/** How a shape is laid out in slices of rows and columns. */
function plane(shape) {
  const rank = shape.length;
  const columns = rank === 1 ? Math.min(shape[0], FOLD) : shape[rank - 1] ?? 1;
  const rows = rank === 1 ? Math.ceil(shape[0] / FOLD) : shape[rank - 2] ?? 1;
  const leading = shape.slice(0, Math.max(0, rank - 2));
  const count = product(shape);
  const height = rows > WHOLE ? Math.min(view.side, rows) : rows;
  const width = columns > WHOLE ? Math.min(view.side, columns) : columns;
  const slices = product(leading);
  const few = slices > 1 && slices <= FEW_SLICES && count <= FEW_ELEMENTS;
  return { rows, columns, leading, slices, count, height, width, few };
}

/** Slice, row and column of the element at `position`. */
function placeOf({ rows, columns }, position) {
  const column = position % columns;
  const above = (position - column) / columns;
  return { slice: Math.floor(above / rows), row: above % rows, column };
}

/** Slices that are drawn now. */
function drawnSlices(flat) {
  return flat.few && view.all ? [...Array(flat.slices).keys()] : [view.slice];
}

/** Row-major positions of the elements that are drawn now. */
function drawnPositions(shape) {
  const flat = plane(shape);
  const positions = [];
  if (flat.count === 0) return positions;
  for (const slice of drawnSlices(flat)) {
    for (let row = view.row; row < view.row + flat.height; row++) {
      for (let column = view.column; column < view.column + flat.width; column++) {
        const position = (slice * flat.rows + row) * flat.columns + column;
        if (row < flat.rows && column < flat.columns && position < flat.count) positions.push(position);
      }
    }
  }
  return positions;
}

/** Moves slice and window so that `position` is drawn; says whether anything moved. */
function bringIntoView(shape, position) {
  const flat = plane(shape);
  const place = placeOf(flat, position);
  const page = (from, at, length, size) =>
    at >= from && at < from + length ? from : Math.min(at - (at % length), Math.max(0, size - length));
  const next = {
    slice: flat.few && view.all ? view.slice : place.slice,
    row: page(view.row, place.row, flat.height, flat.rows),
    column: page(view.column, place.column, flat.width, flat.columns),
  };
  const moved = Object.keys(next).some((key) => next[key] !== view[key]);
  Object.assign(view, next);
  return moved;
}

/** Draws the elements, with numbers or plain; `look` gives each its number and its tone from 0 to 1. */
function drawGrid(layout, numbered, look) {
  const { shape } = layout;
  const flat = plane(shape);
  $("grid-size").textContent = shape.length ? shape.map(String).join(" × ") : "one scalar";
  const faces = flat.count === 0 ? [] : drawnSlices(flat).map((slice) => face(layout, flat, slice, look));
  $("grid").replaceChildren(...faces);
  $("grid").classList.toggle("many", faces.length > 1);
  $("grid").classList.toggle("plain", !numbered);
  drawSliceControls(flat);
  drawWindowControls(flat);
  const cells = drawnPositions(shape).length;
  $("grid-note").textContent =
    flat.count === 0 ? "A size of 0: there are no elements, and no address is ever formed."
    : cells < flat.count ? `${many(cells, "element", "elements")} of ${flat.count.toLocaleString("en")} drawn.`
    : "";
}

function face(layout, flat, slice, look) {
  const { shape } = layout;
  const rank = shape.length;
  const [rowAxis, columnAxis] = rank === 1 ? [null, 0] : [rank - 2, rank - 1];
  const leading = indexAt(flat.leading, slice);
  const title = leading.length ? `[${leading.join(", ")}, :, :]` : null;
  const heads = [];
  const rows = [];
  for (let c = 0; c < flat.width; c++) {
    const label = rank === 0 || flat.width > FOLD ? "" : String(view.column + c);
    heads.push(make("span", { class: `head axis axis-${(columnAxis ?? 0) % 6}`, "aria-hidden": "true" }, label));
  }
  for (let r = 0; r < flat.height && view.row + r < flat.rows; r++) {
    const row = view.row + r;
    const label = rank === 0 ? "" : rowAxis === null ? (flat.rows > 1 ? String(row * flat.columns) : "") : String(row);
    const axis = rowAxis ?? 0;
    const cells = [make("span", { class: `head side axis axis-${axis % 6}`, "aria-hidden": "true" }, label)];
    for (let column = view.column; column < view.column + flat.width; column++) {
      const position = (slice * flat.rows + row) * flat.columns + column;
      if (position < flat.count) cells.push(cell(layout, position, look(position)));
    }
    rows.push(make("div", { role: "row" }, ...cells));
  }
  const grid = make(
    "div",
    { role: "grid", class: "cells", "--cols": flat.width, "aria-label": `Elements${title ? ` ${title}` : ""}` },
    make("span", { class: "head corner", "aria-hidden": "true" }), ...heads, ...rows,
  );
  return make("div", { class: "face" }, ...(title ? [make("p", { class: "slice" }, title)] : []), grid);
}

function cell(layout, position, { text, tone, slot }) {
  const index = indexAt(layout.shape, position);
  const attributes = {
    role: "gridcell", class: "cell", tabindex: -1, "data-position": position, "--tone": tone,
    "aria-selected": "false", "aria-label": `element ${list(index)}, slot ${slot}`, title: `${list(index)} reads slot ${slot}`,
  };
  return make("div", attributes, text);
}

function drawSliceControls(flat) {
  const controls = [];
  if (flat.few) {
    const box = make("input", { type: "checkbox", id: "all-slices", checked: view.all });
    box.addEventListener("change", () => { view.all = box.checked; redraw(); });
    controls.push(make("label", {}, box, " all slices"));
  }
  if (flat.slices > 1 && !(flat.few && view.all)) {
    const index = indexAt(flat.leading, view.slice);
    flat.leading.forEach((size, axis) => {
      const attributes = { type: "number", min: 0, max: size - 1, value: index[axis], id: `slice-${axis}` };
      const field = make("input", attributes);
      field.addEventListener("change", () => {
        index[axis] = Math.min(size - 1, Math.max(0, Math.floor(Number(field.value) || 0)));
        view.slice = positionOf(flat.leading, index);
        redraw(`slice-${axis}`);
      });
      controls.push(make("label", {}, inAxis(axis, axisName(axis)), " ", field, ` of ${size}`));
    });
  }
  $("slices").replaceChildren(...controls);
  $("slices").hidden = controls.length === 0;
}

function drawWindowControls(flat) {
  const windowed = flat.height < flat.rows || flat.width < flat.columns;
  $("window").hidden = !windowed || flat.count === 0;
  $("window").replaceChildren();
  if ($("window").hidden) return;
  const field = (name, size, length) => {
    const input = make("input", {
      type: "number", min: 0, max: Math.max(0, size - length), step: length, value: view[name], id: `window-${name}`,
    });
    input.addEventListener("change", () => {
      const wanted = Math.floor(Number(input.value) || 0);
      view[name] = Math.min(Math.max(0, size - length), Math.max(0, wanted));
      redraw(`window-${name}`);
    });
    return make("label", {}, `${name} `, input);
  };
  const sides = [16, 32, 64].map((side) =>
    make("option", { value: side, selected: side === view.side }, `${side} × ${side}`));
  const select = make("select", { id: "window-side" }, ...sides);
  select.addEventListener("change", () => {
    view.side = Number(select.value);
    view.row = Math.min(view.row, Math.max(0, flat.rows - view.side));
    view.column = Math.min(view.column, Math.max(0, flat.columns - view.side));
    redraw("window-side");
  });
  $("window").append(
    "Window from ", field("row", flat.rows, flat.height), field("column", flat.columns, flat.width),
    make("label", {}, "of ", select),
  );
}

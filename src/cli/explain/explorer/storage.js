// The physical side: slots in the order of memory, framed by cache lines.

/** Storages up to this length are drawn whole, longer ones where the drawn elements live. */
const WHOLE_STORAGE = 512;
/** The most slots drawn in one storage. */
const MOST_SLOTS = 4096;
/** Slots in a row, with numbers in them and without. */
const WIDE = 16;
const WIDER = 32;

let lineBytes = 64;

/** The slots that begin in a cache line, as a range. */
function slotsOfLine(line) {
  return [Math.ceil((line * lineBytes) / elementBytes), Math.ceil(((line + 1) * lineBytes) / elementBytes)];
}

/** The line in which a slot begins. */
const lineOf = (slot) => linesOf(slot, elementBytes, lineBytes)[0];

/** Number of cache lines of a storage. */
const linesIn = (length) => Math.ceil((length * elementBytes) / lineBytes);

/** Lines to draw of a storage, in order, and how many more there would be. */
function linesToDraw(length, slots) {
  const wanted = length <= WHOLE_STORAGE ? [...Array(length).keys()] : slots;
  const lines = [...new Set(wanted.map(lineOf))];
  const most = Math.max(1, Math.floor(MOST_SLOTS / Math.max(1, lineBytes / elementBytes)));
  return { lines: lines.slice(0, most).sort((a, b) => a - b), left: Math.max(0, lines.length - most) };
}

/**
 * Draws one storage. `slots` are the ones that have to be seen, the most wanted first; `look`
 * gives a slot its number, its tone and how many elements read it.
 */
function storagePanel(panel, at, slots, look) {
  const { length } = storages[panel.storage];
  const { lines, left } = linesToDraw(length, slots);
  const perLine = Math.max(1, Math.ceil(lineBytes / elementBytes));
  const wide = lines.length * perLine <= 20 * WIDE ? WIDE : WIDER;
  const perRow = perLine >= wide ? 1 : Math.floor(wide / perLine);
  const rows = [];
  let row = [];
  let labels = [];
  const close = () => {
    if (row.length === 0) return;
    rows.push(make("div", { class: "row", role: "presentation" }, make("span", { class: "head side" }, labels[0]), ...row));
    [row, labels] = [[], []];
  };
  let next = 0;
  lines.forEach((line) => {
    const skipped = line - next;
    // An element longer than a line takes the lines after it too.
    next = linesOf(Math.min(length, slotsOfLine(line)[1]) - 1, elementBytes, lineBytes)[1] + 1;
    next = Math.max(next, line + 1);
    if (skipped > 0) close();
    if (skipped > 0) rows.push(make("p", { class: "fold" }, `${many(skipped, "line", "lines")} further on`));
    if (row.length === perRow) close();
    labels.push(String(slotsOfLine(line)[0]));
    row.push(frame(panel, at, line, length, Math.min(perLine, wide), look));
  });
  close();
  const last = linesIn(length) - next;
  if (last > 0) rows.push(make("p", { class: "fold" }, `${many(last, "line", "lines")} more`));
  const size = `${many(length, "slot", "slots")} in ${many(linesIn(length), "cache line", "cache lines")}`;
  const title = make("h3", {}, panel.title, " ", make("span", {}, size));
  const memory = make(
    "div",
    {
      class: rows.length > 8 ? "memory tall" : "memory", role: "listbox",
      "aria-label": `${panel.title}, in the order of memory`,
      "--cols": wide, "--label": String(slotsOfLine(lines.at(-1) ?? 0)[0]).length,
    },
    ...rows,
  );
  const note = left > 0 ? [make("p", { class: "note" }, `${many(left, "more line", "more lines")} read by the drawn elements not drawn.`)] : [];
  const empty = length === 0 ? [make("p", { class: "note" }, "The storage is empty.")] : [];
  return make("div", { class: "panel storage", "data-panel": at }, title, memory, ...note, ...empty);
}

function frame(panel, at, line, length, columns, look) {
  const [first, end] = slotsOfLine(line);
  const slots = [];
  for (let slot = first; slot < Math.max(end, first + 1); slot++) {
    slots.push(slot < length ? slotCell(panel, at, slot, look(slot)) : make("span", { class: "past", "aria-hidden": "true" }));
  }
  return make("div", { class: "line", role: "group", "aria-label": `cache line ${line}`, "data-line": line, "--cols": Math.min(columns, slots.length), title: `cache line ${line}` }, ...slots);
}

function slotCell(panel, at, slot, { text, tone, count }) {
  const how = count === 0 ? "not visible in this view" : `read by ${many(count, "element", "elements")}`;
  const [first, last] = linesOf(slot, elementBytes, lineBytes);
  const attributes = {
    role: "option", class: `slot${count === 0 ? " unread" : ""}${last > first ? " straddles" : ""}`, tabindex: -1,
    "data-slot": slot, "--tone": tone, "aria-selected": "false", "aria-label": `slot ${slot}, ${how}`,
    title: `slot ${slot}, ${how}`,
  };
  const badge = count > 1 ? [make("sup", { "aria-hidden": "true" }, `×${count}`)] : [];
  return make("div", attributes, text, ...badge);
}

// The address sum in symbols and in numbers, and the sentence for those who listen.

/** Elements of a slot that are listed by name. */
const MOST_NAMED = 8;

function drawSums(quietly) {
  const { layout, panels } = stages[state.at];
  const { positions, slot } = state;
  const parts = [];
  let said = "";
  if (!isExact(layout)) {
    said = "";
  } else if (slot !== null && positions.length === 0) {
    said = `Slot ${slot.slot}: not visible in this view. No index reaches it.`;
    parts.push(make("p", {}, said));
  } else if (positions.length === 1) {
    const index = indexAt(layout.shape, positions[0]);
    panels.forEach((panel) => parts.push(sum(panel, positions[0], panels.length > 1)));
    said = panels.map((panel) => spoken(panel, positions[0])).join(" ");
    parts[0].prepend(make("p", { class: "who" }, "element ", colouredList(index)));
  } else if (positions.length > 1) {
    const names = positions.slice(0, MOST_NAMED).map((position) => list(indexAt(layout.shape, position)));
    const rest = slot.count > names.length || !slot.all ? " …" : "";
    const count = `${slot.all ? "" : "at least "}${slot.count.toLocaleString("en")}`;
    said = `Slot ${slot.slot} is read by ${count} elements: ${names.join(" ")}${rest}`;
    parts.push(make("p", {}, said));
  } else if (layout.shape.includes(0)) {
    parts.push(make("p", { class: "hint" }, "No elements, no addresses."));
  } else {
    parts.push(make("p", { class: "hint" }, "Choose an element to see its address, or a slot to see who reads it."));
  }
  $("sums").replaceChildren(...parts);
  if (!quietly) $("live").textContent = said;
}

/** The sum of one address: symbols over numbers, term by term. */
function sum({ title, layout }, position, named) {
  const { shape, strides, offset } = layout;
  const index = indexAt(shape, position);
  const term = (top, bottom, axis) =>
    make("span", { class: `term${axis === null ? "" : ` axis axis-${axis % 6}`}` }, make("small", {}, top), make("b", {}, bottom));
  const sign = (text) => make("span", { class: "sign" }, text);
  const terms = index.flatMap((i, axis) => {
    const stride = strides[axis] < 0 ? `(${signed(strides[axis])})` : String(strides[axis]);
    return [sign("+"), term(`${axisName(axis)}·s${subscript(axis)}`, `${i}·${stride}`, axis)];
  });
  const slot = slotAt(layout, position);
  const [first, last] = linesOf(slot, elementBytes, lineBytes);
  const bytes = elementBytes === 1 ? `byte ${slot}` : `bytes ${slot * elementBytes} to ${(slot + 1) * elementBytes - 1}`;
  const where = `${bytes}, cache line ${first}${last > first ? ` to ${last}` : ""}`;
  return make(
    "div", { class: "sum" },
    make("p", { class: "formula" }, term("offset", String(offset), null), ...terms, sign("="),
      make("span", { class: "term result" }, make("small", {}, named ? title.toLowerCase() : "slot"), make("b", {}, String(slot)))),
    make("p", { class: "where" }, where),
  );
}

/** The sum of one address in plain characters. */
function spoken({ title, layout }, position) {
  const index = indexAt(layout.shape, position);
  const terms = index.map((i, axis) => ` + ${i}*${layout.strides[axis]}`).join("");
  const slot = slotAt(layout, position);
  return `${title}: element ${list(index)} is slot ${layout.offset}${terms} = ${slot}.`;
}

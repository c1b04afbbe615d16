// Elements of the page. What comes from a spec is always text, never markup.

const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function set(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("--")) node.style.setProperty(name, value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

const make = (tag, attributes = {}, ...children) => set(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => set(document.createElementNS(SVG, tag), attributes, children);

/** A number with a proper minus. */
const signed = (n) => String(n).replace("-", "−");
const list = (numbers) => `[${numbers.map(signed).join(", ")}]`;

/** What an axis' index is called: the first six by letter. */
const axisName = (axis) => "ijklmn"[axis] ?? `i${axis}`;
const subscript = (n) => String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

/** Text in the colour of an axis. */
const inAxis = (axis, text) => make("span", { class: `axis axis-${axis % 6}` }, text);

/** A list with every entry in the colour of its axis. */
function colouredList(numbers) {
  const parts = numbers.flatMap((n, axis) => [axis ? ", " : "", inAxis(axis, signed(n))]);
  return make("span", { class: "list" }, "[", ...parts, "]");
}

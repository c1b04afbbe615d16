// The scan: a walk in logical order that counts how addresses move and which lines they touch.

/** Addresses in the strip. */
const IN_STRIP = 192;
/** Distances in the histogram. */
const IN_HISTOGRAM = 6;
/** Views up to this many elements are counted whole. */
const COUNTED_WHOLE = 1 << 16;
/** Steps a second, by the notch of the slider. */
const RATES = [1, 2, 3, 5, 8, 15, 30, 60, 240, 1000, 5000];

const scan = {};

/** The last answer of `touchedInAll`. */
const counted = {};

function resetScan() {
  pauseScan();
  Object.assign(scan, { next: 0, slot: null, counts: new Map(), lines: new Set(), slots: new Set(), changes: 0, debt: 0 });
}

/** What is read in the scan: the view itself, or what a copy reads. */
const scanned = () => stages[state.at].panels[0].layout;

/** Reads the next element; says whether there was one. */
function visit() {
  const layout = scanned();
  if (scan.next >= product(layout.shape)) return false;
  const slot = slotAt(layout, scan.next);
  const [first, last] = linesOf(slot, elementBytes, lineBytes);
  if (scan.slot !== null) {
    const distance = slot - scan.slot;
    scan.counts.set(distance, (scan.counts.get(distance) ?? 0) + 1);
    if (lineOf(scan.slot) !== first) scan.changes++;
  }
  for (let line = first; line <= last; line++) scan.lines.add(line);
  scan.slots.add(slot);
  scan.slot = slot;
  scan.next++;
  return true;
}

function stepScan(count) {
  let moved = 0;
  while (moved < count && visit()) moved++;
  if (moved > 0) choose([scan.next - 1], null, scan.playing);
  return moved === count;
}

function playScan() {
  if (scan.next >= product(scanned().shape)) resetScan();
  scan.playing = true;
  $("play").textContent = "Pause";
  let before = performance.now();
  const tick = (now) => {
    if (!scan.playing) return;
    scan.debt += ((now - before) / 1000) * RATES[$("speed").value];
    before = now;
    const whole = Math.floor(scan.debt);
    scan.debt -= whole;
    if (whole > 0 && !stepScan(whole)) return pauseScan();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

function pauseScan() {
  if (scan.playing) drawSums(false);
  scan.playing = false;
  $("play").textContent = "Play";
}

/** How one address follows another, in a word. */
function manner(distance) {
  return distance === 1 ? "advance" : distance === 0 ? "repeat" : "jump";
}

const inWords = (distance) =>
  distance === 1 ? "the next slot" : distance === 0 ? "the same slot again" : distance === -1 ? "one slot back" : "jump";
const withSign = (distance) => (distance > 0 ? `+${distance}` : signed(distance));

function drawScan() {
  const usable = isExact(scanned()) && product(scanned().shape) > 0;
  for (const id of ["play", "step", "reset"]) $(id).disabled = !usable;
  $("strip").replaceChildren();
  $("deltas").replaceChildren();
  $("lines").replaceChildren();
  $("count").textContent = "";
  $("verdict").textContent = "";
  if (!usable) return;
  const numel = product(scanned().shape);
  $("count").textContent = `${scan.next.toLocaleString("en")} of ${many(numel, "element", "elements")}`;
  $("verdict").textContent = verdict();
  drawStrip(numel);
  drawHistogram();
  drawLines();
}

function verdict() {
  const found = distances(scanned());
  if (found.length === 0) return "One element, one address.";
  const phrase = ({ distance, count }) => {
    const times = many(count, "step", "steps");
    if (distance === 1) return `${times} to the next slot`;
    return distance === 0 ? `${times} on the same slot` : `${times} of ${withSign(distance)}`;
  };
  const whole = found.length === 1 ? `Every step is the same: ${phrase(found[0])}.`
    : `In all: ${found.slice(0, 3).map(phrase).join(", ")}${found.length > 3 ? ", and others" : ""}.`;
  const { panels } = stages[state.at];
  if (panels.length === 1) return whole;
  const writes = distances(panels[1].layout.shape.length === scanned().shape.length ? panels[1].layout : stages[state.at].copy.to);
  const inOrder = writes.every(({ distance }) => distance === 1);
  return `Reads. ${whole} Writes: ${inOrder ? "always the next slot" : writes.slice(0, 3).map(phrase).join(", ")}.`;
}

function drawStrip(numel) {
  const svg = $("strip");
  const [width, height, left] = [svg.clientWidth || 560, svg.clientHeight || 110, 8];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const base = Math.max(0, Math.min(scan.next - IN_STRIP, numel - IN_STRIP));
  const count = Math.min(IN_STRIP, numel);
  const slots = Array.from({ length: count }, (_, at) => slotAt(scanned(), base + at));
  const [low, high] = [Math.min(...slots), Math.max(...slots)];
  const x = (at) => left + (count === 1 ? 0.5 : at / (count - 1)) * (width - 2 * left);
  const y = (slot) => height - 20 - (high === low ? 0.5 : (slot - low) / (high - low)) * (height - 40);
  const radius = Math.max(1.6, Math.min(5, width / count / 3));
  svg.append(
    draw("text", { x: 2, y: 10 }, `slot ${high}`),
    draw("text", { x: 2, y: height - 3 }, high === low ? "" : `slot ${low}`),
    draw("path", { class: "ahead", d: slots.map((slot, at) => `${at ? "L" : "M"}${x(at)} ${y(slot)}`).join("") }),
  );
  slots.forEach((slot, at) => {
    const seen = base + at < scan.next;
    const how = at === 0 ? "first" : manner(slot - slots[at - 1]);
    const head = base + at === scan.next - 1 ? " now" : "";
    const size = head ? radius + 2 : radius;
    svg.append(draw("circle", { class: `${how}${seen ? " seen" : ""}${head}`, cx: x(at), cy: y(slot), r: size }));
  });
}

function drawHistogram() {
  const all = distances(scanned());
  const most = Math.max(...all.map(({ count }) => count), 1);
  const rows = all.slice(0, IN_HISTOGRAM).map(({ distance, count }) => {
    const seen = scan.counts.get(distance) ?? 0;
    const bar = make("span", { class: `bar ${manner(distance)}`, "--whole": count / most, "--seen": seen / most, "aria-hidden": "true" });
    return make("div", { class: "delta" }, make("b", {}, withSign(distance)), make("span", {}, inWords(distance)),
      make("span", { class: "counts" }, `${seen.toLocaleString("en")} of ${count.toLocaleString("en")}`), bar);
  });
  const left = all.length - rows.length;
  if (left > 0) rows.push(make("p", { class: "note" }, `and ${many(left, "other distance", "other distances")}`));
  if (all.length === 0) rows.push(make("p", { class: "note" }, "There is no second element."));
  $("deltas").append(...rows);
}

/** Distinct lines and slots of the whole view, or of what is drawn of a large one. */
function touchedInAll() {
  const layout = scanned();
  const numel = product(layout.shape);
  const whole = numel <= COUNTED_WHOLE;
  const key = `${state.at}/${lineBytes}`;
  if (whole && counted.key === key) return counted;
  const slots = new Set();
  const lines = new Set();
  const positions = whole ? Array(numel).keys() : drawnPositions(stages[state.at].layout.shape);
  for (const position of positions) {
    const slot = slotAt(layout, position);
    slots.add(slot);
    const [first, last] = linesOf(slot, elementBytes, lineBytes);
    for (let line = first; line <= last; line++) lines.add(line);
  }
  return Object.assign(counted, { key, whole, slots: slots.size, lines: lines.size });
}

function drawLines() {
  const { lines, slots, whole } = touchedInAll();
  const length = storages[stages[state.at].panels[0].storage].length;
  const number = (n) => n.toLocaleString("en");
  const used = (slots, lines) => (lines === 0 ? "0" : `${number(slots)} of ${number(Math.floor((lines * lineBytes) / elementBytes))}`);
  const share = (slots, lines) => (lines === 0 ? "" : `${Math.round((100 * slots * elementBytes) / (lines * lineBytes))} %`);
  const row = (name, ...values) => make("tr", {}, make("th", { scope: "row" }, name), ...values.map((value) => make("td", {}, value)));
  const head = ["", "so far", whole ? "whole view" : "drawn part"].map((name) => make("th", { scope: "col" }, name));
  $("lines").append(
    make("tr", {}, ...head),
    row("lines fetched", `${number(scan.lines.size)} of ${number(linesIn(length))}`, number(lines)),
    row("elements used", used(scan.slots.size, scan.lines.size), used(slots, lines)),
    row("of what was fetched", share(scan.slots.size, scan.lines.size), share(slots, lines)),
    row("changes of line", `${number(scan.changes)} of ${number(Math.max(0, scan.next - 1))}`, ""),
  );
}

// The page: one stage at a time, what is chosen in it, keys, and the address that remembers both.

/** `positions`: chosen elements. `slot`: the chosen slot with its readers' count, or null. */
const state = { at: 0, positions: [], slot: null };

/** Which of the drawn elements is chosen at first: not one whose indices are 0. */
const FIRST_SHOWN = 0.6;

/** How the values that are drawn now are numbered and coloured. */
function looks({ layout, panels }) {
  const result = panels[panels.length - 1];
  const positions = drawnPositions(layout.shape);
  const values = new Map(positions.map((position) => [position, sourceOf(result.storage, slotAt(result.layout, position))]));
  const small = panels.every(({ storage }) => storages[storage].length <= WHOLE_STORAGE);
  const drawn = small ? [0, Math.max(0, storages[0].length - 1)] : [...values.values()];
  const low = drawn.reduce((a, b) => Math.min(a, b), Infinity);
  const high = drawn.reduce((a, b) => Math.max(a, b), -Infinity);
  const tone = (value) => Math.min(1, Math.max(0, high > low ? (value - low) / (high - low) : 0)).toFixed(3);
  const digits = Math.max(1, String(high).length);
  return { values, tone, digits, positions };
}

function redraw(focus) {
  const current = stages[state.at];
  drawIntro();
  const drawable = isExact(current.layout) && current.panels.every(({ layout }) => isExact(layout));
  $("views").classList.toggle("copied", current.panels.length > 1);
  if (!drawable) {
    $("grid").replaceChildren();
    $("storages").replaceChildren();
    for (const id of ["slices", "window"]) $(id).hidden = true;
    $("grid-size").textContent = "";
    $("grid-note").textContent = "Too many to draw: these numbers are larger than 2⁵³, up to which a browser counts exactly.";
  } else {
    drawViews(current);
  }
  mark();
  if (focus) $(focus)?.focus();
}

function drawViews(current) {
  const { values, tone, digits, positions } = looks(current);
  const result = current.panels[current.panels.length - 1];
  const flat = plane(current.layout.shape);
  const columns = flat.width;
  $("views").style.setProperty("--digits", Math.max(2, digits));
  drawGrid(current.layout, columns * digits <= 72, (position) => {
    const value = values.get(position);
    const text = columns <= FOLD ? String(value) : "";
    return { text, tone: tone(value), slot: slotAt(result.layout, position) };
  });
  const chosen = state.positions.slice(0, MOST_ARROWS);
  $("storages").replaceChildren(...current.panels.map((panel, at) => {
    const wanted = [...chosen, ...positions].map((position) => slotAt(panel.layout, position));
    if (state.slot?.panel === at) wanted.unshift(state.slot.slot);
    const { lines } = linesToDraw(storages[panel.storage].length, wanted);
    const numbered = lines.length * Math.max(1, lineBytes / elementBytes) <= 20 * WIDE && digits <= 5;
    return storagePanel(panel, at, wanted, (slot) => {
      const value = sourceOf(panel.storage, slot);
      return { text: numbered ? String(value) : "", tone: tone(value), count: readers(panel.layout, slot, 64).count };
    });
  }));
}

function drawIntro() {
  const { layout, step, copy, failed } = stages[state.at];
  $("lesson").textContent = lesson(state.at);
  const before = stages[failed ? state.at : Math.max(0, state.at - 1)].layout;
  const fact = (name, then, now) => {
    const changed = state.at > 0 && !failed && String(then) !== String(now);
    const old = changed ? [make("span", { class: "before" }, Array.isArray(then) ? list(then) : String(then)), " → "] : [];
    const text = Array.isArray(now) ? colouredList(now) : String(now);
    return make("div", {}, make("dt", {}, name), make("dd", {}, ...old, text));
  };
  $("facts").replaceChildren(
    fact("shape", before.shape, layout.shape), fact("strides", before.strides, layout.strides),
    fact("offset", before.offset, layout.offset),
  );
  const size = `${report.dtype}, ${many(elementBytes, "byte", "bytes")} an element`;
  const why = step ? `${step.op}: ${step.why}.` : `${size}.`;
  const cost = copy && step.cost ? ` As planned here: ${step.cost.plan}; reads ${many(step.cost.source.lines, "cache line", "cache lines")}, writes ${step.cost.destination.lines.toLocaleString("en")}.` : "";
  $("why").textContent = failed ? "" : why + cost;
  drawFailure(failed);
}

function drawFailure(failed) {
  const told = failed || (report.error !== null && data.failed === null);
  $("failure").hidden = !told;
  if (!told) return;
  const { message, kind } = report.error;
  const code = (text) => text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
  const parts = [make("h2", {}, failed ? make("code", {}, data.failed) : "Not carried out", " ", make("small", {}, kind)), make("p", {}, ...code(message))];
  if (kind === "not_viewable") {
    const found = distances(stages[state.at].layout).slice(0, 3);
    const told = found.map(({ distance, count }) => `${withSign(distance)} (${many(count, "time", "times")})`);
    parts.push(make("p", {}, `One merged axis has one stride. In logical order these addresses move by ${told.join(" and ")}.`));
  }
  if (data.advice) parts.push(make("p", { class: "advice" }, ...code(data.advice)));
  $("failure").replaceChildren(...parts);
}

/** Chooses elements, or a slot and its readers. */
function choose(positions, slot, quietly) {
  const current = stages[state.at];
  Object.assign(state, { positions, slot });
  const moved = positions.length > 0 && !positions.some((position) => cellAt(position)) && bringIntoView(current.layout.shape, positions[0]);
  const missing = current.panels.some((panel, at) =>
    positions.slice(0, 1).some((position) => !slotCellAt(at, slotAt(panel.layout, position))));
  if (moved || missing || (slot && !slotCellAt(slot.panel, slot.slot))) redraw();
  else mark(quietly);
  if (!quietly) remember();
}

function chooseSlot(panel, slot) {
  const { positions, count, all } = readers(stages[state.at].panels[panel].layout, slot, MOST_SLOTS);
  choose(positions, { panel, slot, count, all }, false);
}

/** Shows what is chosen and what the scan has read, on what is drawn. */
function mark(quietly = false) {
  const current = stages[state.at];
  const chosen = new Set(state.positions);
  const cells = [...document.querySelectorAll("#grid [data-position]")];
  for (const cell of cells) {
    const position = Number(cell.dataset.position);
    cell.setAttribute("aria-selected", chosen.has(position));
    cell.classList.toggle("seen", position < scan.next);
  }
  rove(cells, cells.find((cell) => chosen.has(Number(cell.dataset.position))));
  current.panels.forEach((panel, at) => {
    const slots = new Set(state.positions.map((position) => slotAt(panel.layout, position)));
    if (state.slot?.panel === at) slots.add(state.slot.slot);
    const nodes = [...document.querySelectorAll(`[data-panel="${at}"] [data-slot]`)];
    for (const node of nodes) {
      node.setAttribute("aria-selected", slots.has(Number(node.dataset.slot)));
      node.classList.toggle("seen", at === 0 && scan.slots.has(Number(node.dataset.slot)));
    }
    rove(nodes, nodes.find((node) => slots.has(Number(node.dataset.slot))));
    for (const line of document.querySelectorAll(`[data-panel="${at}"] [data-line]`)) {
      line.classList.toggle("touched", at === 0 && scan.lines.has(Number(line.dataset.line)));
    }
  });
  drawSums(quietly);
  drawScan();
  drawArrows();
}

/** One of `nodes` is reached by Tab, the others by arrow keys. */
function rove(nodes, preferred) {
  const focused = nodes.find((node) => node === document.activeElement);
  const stop = focused ?? preferred ?? nodes[0];
  for (const node of nodes) node.tabIndex = node === stop ? 0 : -1;
}

function show(at, keepFocus) {
  Object.assign(state, { at, positions: [], slot: null });
  Object.assign(view, { slice: 0, row: 0, column: 0 });
  const { layout } = stages[at];
  if (isExact(layout) && !layout.shape.includes(0)) {
    // One element from the start, so that there is an arrow and a sum to look at.
    const drawn = drawnPositions(layout.shape);
    state.positions = [drawn[Math.floor(drawn.length * FIRST_SHOWN)]];
  }
  resetScan();
  [...$("chain").children].forEach((tab, place) => {
    tab.setAttribute("aria-selected", place === at);
    tab.tabIndex = place === at ? 0 : -1;
    if (place === at && keepFocus) tab.focus();
  });
  $("stage").setAttribute("aria-labelledby", `tab-${at}`);
  redraw();
}

/** Step and selection in the page's address, so that a link shows the same. */
function remember() {
  const { at, positions, slot } = state;
  const what = slot ? `&slot=${slot.panel}:${slot.slot}`
    : positions.length ? `&at=${indexAt(stages[at].layout.shape, positions[0]).join(",")}` : "";
  history.replaceState(null, "", `#step=${at}${what}`);
}

function recall() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const at = Number(asked.get("step") ?? stages.length - 1);
  show(stages[at] ? at : stages.length - 1);
  const { layout, panels } = stages[state.at];
  if (!isExact(layout) || layout.shape.includes(0)) return;
  const index = (asked.get("at") ?? "").split(",").filter(Boolean).map(Number);
  const inside = (i, axis) => Number.isSafeInteger(i) && i >= 0 && i < layout.shape[axis];
  if (asked.has("at") && index.length === layout.shape.length && index.every(inside)) {
    choose([positionOf(layout.shape, index)], null, true);
  }
  const [panel, slot] = (asked.get("slot") ?? "").split(":").map(Number);
  if (panels[panel] && Number.isSafeInteger(slot) && slot >= 0 && slot < storages[panels[panel].storage].length) {
    chooseSlot(panel, slot);
  }
  const steps = Math.min(Number(asked.get("scan")) || 0, MOST_SLOTS);
  if (steps > 0) stepScan(steps);
}

/** The node that an arrow key leads to from `node`: the nearest one that way. */
function neighbour(node, nodes, key) {
  const at = nodes.indexOf(node);
  if (key === "ArrowLeft") return nodes[at - 1];
  if (key === "ArrowRight") return nodes[at + 1];
  if (key === "Home") return nodes[0];
  if (key === "End") return nodes[nodes.length - 1];
  const here = node.getBoundingClientRect();
  const down = key === "ArrowDown";
  const vertical = (box) => (down ? box.top - here.top : here.top - box.top);
  let best = null;
  for (const other of nodes) {
    const box = other.getBoundingClientRect();
    const way = vertical(box);
    if (way < here.height / 2) continue;
    const cost = way * 4 + Math.abs(box.left - here.left);
    if (best === null || cost < best.cost) best = { other, cost };
  }
  return best?.other;
}

/** The element that an arrow key at the window's edge leads to. */
function beyond(node, key) {
  const { shape } = stages[state.at].layout;
  const flat = plane(shape);
  const position = Number(node.dataset.position);
  const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -flat.columns, ArrowDown: flat.columns }[key];
  const next = position + move;
  return move !== undefined && next >= 0 && next < flat.count ? next : null;
}

function moveFocus(node, key) {
  const nodes = [...node.closest("#grid, .memory").querySelectorAll("[data-position], [data-slot]")];
  if (node.dataset.position !== undefined && key.startsWith("Arrow")) {
    const next = beyond(node, key);
    if (next === null) return;
    if (bringIntoView(stages[state.at].layout.shape, next)) redraw();
    const cell = cellAt(next);
    rove([...document.querySelectorAll("#grid [data-position]")], cell);
    return cell?.focus();
  }
  const next = neighbour(node, nodes, key);
  if (!next) return;
  node.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function act(node) {
  pauseScan();
  if (node.dataset.position !== undefined) return choose([Number(node.dataset.position)], null, false);
  chooseSlot(Number(node.closest("[data-panel]").dataset.panel), Number(node.dataset.slot));
}

function listen() {
  $("views").addEventListener("click", (event) => {
    const node = event.target.closest("[data-position], [data-slot]");
    if (!node) return;
    node.focus({ preventScroll: true });
    act(node);
  });
  $("views").addEventListener("keydown", (event) => {
    const node = event.target.closest("[data-position], [data-slot]");
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") act(node);
    else if (/^(Arrow|Home|End)/.test(event.key)) moveFocus(node, event.key);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose([], null, false);
  });
  $("chain").addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (!tab) return;
    show(Number(tab.dataset.at), true);
    remember();
  });
  $("chain").addEventListener("keydown", (event) => {
    const to = { ArrowLeft: state.at - 1, ArrowRight: state.at + 1, Home: 0, End: stages.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (!stages[to]) return;
    show(to, true);
    remember();
  });
  $("play").addEventListener("click", () => (scan.playing ? pauseScan() : playScan()));
  $("step").addEventListener("click", () => { pauseScan(); stepScan(1); });
  $("reset").addEventListener("click", () => { resetScan(); choose([], null, false); });
  $("line").addEventListener("change", () => {
    const bytes = Math.floor(Number($("line").value));
    lineBytes = bytes >= 1 && bytes <= 4096 ? bytes : 64;
    $("line").value = lineBytes;
    resetScan();
    redraw();
  });
  window.addEventListener("hashchange", recall);
  new ResizeObserver(() => { drawArrows(); drawScan(); }).observe($("views"));
}

function start() {
  document.title = `${report.spec} · restride`;
  const tabs = stages.map(({ op, copy, failed }, at) => make(
    "button",
    { type: "button", role: "tab", id: `tab-${at}`, "data-at": at, "aria-controls": "stage",
      class: failed ? "failed" : copy ? "copies" : at === 0 ? "source" : "shares" },
    make("code", {}, op), make("small", {}, failed ? "cannot be" : copy ? "copies" : at === 0 ? "source" : "view"),
  ));
  $("chain").append(...tabs);
  listen();
  recall();
}

start();

// Arrows from the chosen elements to their slots, and through a copy to the new ones.

const MOST_ARROWS = 48;

function drawArrows() {
  const box = $("views").getBoundingClientRect();
  const svg = $("arrows");
  svg.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  const head = draw("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    draw("path", { d: "M0 0 8 4 0 8z" }));
  svg.replaceChildren(draw("defs", {}, head));
  const { layout, panels } = stages[state.at];
  if (!isExact(layout)) return;
  const place = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return { x: left - box.left, y: top - box.top, width, height };
  };
  // Arrows begin beside the elements, in the row of theirs: across them they would strike numbers out.
  const edge = Math.max(0, ...[...document.querySelectorAll("#grid [data-position]")].map((cell) => place(cell).x + place(cell).width));
  for (const position of state.positions.slice(0, MOST_ARROWS)) {
    const stops = [cellAt(position), ...panels.map((panel, at) => slotCellAt(at, slotAt(panel.layout, position)))];
    for (let stop = 1; stop < stops.length; stop++) {
      if (!stops[stop - 1] || !stops[stop]) continue;
      const path = arrow(place(stops[stop - 1]), place(stops[stop]), stop === 1 ? edge : null);
      svg.append(draw("path", { class: stop > 1 ? "moved" : "reads", d: path, "marker-end": "url(#head)" }));
    }
  }
}

/** A curve to the nearer long side of a box, from `edge` at the height of another where there is room. */
function arrow(from, to, edge) {
  const middle = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const [a, b] = [middle(from), middle(to)];
  const below = b.y > a.y;
  const end = below ? to.y - 1 : to.y + to.height + 1;
  if (edge && to.x > edge && Math.abs(b.x - a.x) > Math.abs(b.y - a.y) * 0.4) {
    const start = edge + 2;
    const far = Math.max(30, Math.abs(end - a.y));
    return `M${start} ${a.y}C${start + (b.x - start) * 0.6} ${a.y} ${b.x} ${end + (below ? -far : far)} ${b.x} ${end}`;
  }
  const start = below ? from.y + from.height : from.y;
  const bend = (end - start) * 0.5;
  return `M${a.x} ${start}C${a.x} ${start + bend} ${b.x} ${end - bend} ${b.x} ${end}`;
}

const cellAt = (position) => document.querySelector(`#grid [data-position="${position}"]`);
const slotCellAt = (panel, slot) => document.querySelector(`[data-panel="${panel}"] [data-slot="${slot}"]`);

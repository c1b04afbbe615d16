// Addresses: which slot an index reads, and which indices read a slot. All numbers are elements.

const product = (sizes) => sizes.reduce((so_far, size) => so_far * size, 1);

/** The index of the element at `position` in row-major order. */
function indexAt(shape, position) {
  const index = new Array(shape.length);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = position % shape[axis];
    position = (position - index[axis]) / shape[axis];
  }
  return index;
}

/** The row-major position of `index`. */
function positionOf(shape, index) {
  return shape.reduce((position, size, axis) => position * size + index[axis], 0);
}

/** The slot that `index` reads. */
function address(layout, index) {
  return index.reduce((sum, i, axis) => sum + i * layout.strides[axis], layout.offset);
}

/** The slot that the element at a row-major position reads. */
function slotAt(layout, position) {
  return address(layout, indexAt(layout.shape, position));
}

/** Lowest and highest slot read; null without elements. */
function reach({ shape, strides, offset }) {
  if (shape.includes(0)) return null;
  const ends = shape.map((size, axis) => (size > 1 ? (size - 1) * strides[axis] : 0));
  const sum = (signed) => signed.reduce((so_far, end) => so_far + end, offset);
  return [sum(ends.filter((end) => end < 0)), sum(ends.filter((end) => end > 0))];
}

/** Whether a browser's numbers hold every address exactly. */
function isExact(layout) {
  const numbers = [...layout.shape, ...layout.strides, layout.offset];
  if (!numbers.every(Number.isSafeInteger)) return false;
  return layout.shape.includes(0) || [product(layout.shape), ...reach(layout)].every(Number.isSafeInteger);
}

/** Places tried before `readers` gives up on a layout that overlaps itself wildly. */
const MOST_TRIES = 100000;

/**
 * The row-major positions of the elements that read `slot`, the first `limit` found of them in
 * order, and how many there are. `all` is false when there may be more than were counted.
 */
function readers(layout, slot, limit) {
  const { shape, strides } = layout;
  if (shape.includes(0)) return { positions: [], count: 0, all: true };
  const stepped = [...shape.keys()].filter((axis) => shape[axis] > 1 && strides[axis] !== 0);
  stepped.sort((a, b) => Math.abs(strides[b]) - Math.abs(strides[a]));
  const free = [...shape.keys()].filter((axis) => shape[axis] > 1 && strides[axis] === 0);
  const found = [];
  let tries = 0;
  // Axes with large strides first: what the smaller ones can still reach leaves few choices.
  const bounds = stepped.map((_, at) => {
    const ends = stepped.slice(at + 1).map((axis) => (shape[axis] - 1) * strides[axis]);
    const sum = (kept) => ends.filter(kept).reduce((so_far, end) => so_far + end, 0);
    return [sum((end) => end < 0), sum((end) => end > 0)];
  });
  const search = (at, rest, index) => {
    if (found.length >= limit || tries++ > MOST_TRIES) return;
    if (at === stepped.length) {
      if (rest === 0) found.push(index.slice());
      return;
    }
    const axis = stepped[at];
    const [low, high] = bounds[at];
    const edges = [(rest - high) / strides[axis], (rest - low) / strides[axis]];
    const first = Math.max(0, Math.ceil(Math.min(...edges)));
    const last = Math.min(shape[axis] - 1, Math.floor(Math.max(...edges)));
    for (let i = first; i <= last && tries <= MOST_TRIES; i++) {
      index[axis] = i;
      search(at + 1, rest - i * strides[axis], index);
    }
    index[axis] = 0;
  };
  search(0, slot - layout.offset, new Array(shape.length).fill(0));
  const repeats = product(free.map((axis) => shape[axis]));
  const positions = [];
  for (const index of found) {
    for (let repeat = 0; repeat < repeats && positions.length < limit; repeat++) {
      indexAt(free.map((axis) => shape[axis]), repeat).forEach((i, at) => (index[free[at]] = i));
      positions.push(positionOf(shape, index));
    }
  }
  positions.sort((a, b) => a - b);
  return { positions, count: found.length * repeats, all: found.length < limit && tries <= MOST_TRIES };
}

/**
 * How far addresses move from each element to the next in row-major order: every distance with
 * how often it occurs, the most frequent first. An index that carries into axis k takes one
 * stride there and goes back to 0 on every axis after it.
 */
function distances({ shape, strides }) {
  const counts = new Map();
  if (shape.includes(0)) return [];
  let back = 0;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] < 2) continue;
    const distance = strides[axis] - back;
    const times = (shape[axis] - 1) * product(shape.slice(0, axis));
    counts.set(distance, (counts.get(distance) ?? 0) + times);
    back += (shape[axis] - 1) * strides[axis];
  }
  return [...counts].map(([distance, count]) => ({ distance, count })).sort((a, b) => b.count - a.count);
}

/** First and last cache line of a slot, whose storage begins a line. */
function linesOf(slot, elementBytes, lineBytes) {
  const line = (byte) => Math.floor(byte / lineBytes);
  return [line(slot * elementBytes), line((slot + 1) * elementBytes - 1)];
}

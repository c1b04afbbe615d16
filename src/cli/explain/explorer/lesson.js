// One sentence a step: what it teaches about strides.

const many = (n, one, more) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

const LESSONS = [
  [/^\.(T|t|mT|transpose|swapaxes)\b/, "Transpose: shape and strides swap. Nothing moved."],
  [/^\.(permute|movedim)\b/, "Permute: sizes and strides change places together. Nothing moved."],
  [/^\.flip\b/, "Flip: begin at the far end and step backwards. A negative stride, the same memory."],
  [/^\.(un)?squeeze\b/, "An axis of size 1 is never stepped along, so its stride decides nothing."],
  [/^\.(expand|broadcast_to)\b/, "Expand: with a stride of 0 the index moves and the address does not."],
  [/^\.select\b/, "Select: one index becomes part of the offset, and its axis is gone."],
  [/^\.narrow\b/, "Narrow: the offset says where to begin; the strides stay."],
  [/^\.diagonal\b/, "Diagonal: a single stride steps along both axes at once."],
  [/^\.unfold\b/, "Unfold: windows are one more stride over the same slots. Overlap costs no memory."],
  [/^\.as_strided\b/, "Strides by hand: any numbers are a view while every address stays in the storage."],
  [/^\.(view|reshape|flatten|unflatten)\b/, "Reshape: the same order of elements under new sizes, so new strides are enough."],
  [/^\.rearrange\b/, "Rearrange: axes split, change places and merge, and strides can say all of it."],
];

function lessonOfIndex(before, after) {
  const turns = (layout) => layout.strides.filter((stride) => stride < 0).length;
  if (turns(after) > turns(before)) {
    return "A negative step begins at the last element and walks back: a new offset and a negative stride.";
  }
  if (after.shape.length < before.shape.length) {
    return "An index picks: it becomes part of the offset, and its axis is gone.";
  }
  return "A slice moves the offset and stretches the strides. What it leaves out stays in memory, unread.";
}

function lessonOfCopy(op) {
  if (/^\.clone\b/.test(op)) return "Clone: every element moves to storage of its own.";
  if (/^\.contiguous\b/.test(op)) return "Contiguous: the elements move until logical order and memory order agree.";
  return "No strides can say this over the old storage, so the elements move: a copy.";
}

/** The sentence of stage `at`. */
function lesson(at) {
  const { op, layout, copy, failed } = stages[at];
  if (failed) return "The layout before it, for comparison.";
  if (at === 0) return lessonOfSource(layout);
  if (copy) return lessonOfCopy(op);
  const before = stages[at - 1].layout;
  const same = (a, b) => a.length === b.length && a.every((n, axis) => n === b[axis]);
  if (same(before.shape, layout.shape) && same(before.strides, layout.strides) && before.offset === layout.offset) {
    return "The layout is already so: nothing to do.";
  }
  if (op.startsWith("[")) return lessonOfIndex(before, layout);
  return LESSONS.find(([pattern]) => pattern.test(op))?.[1] ?? "A new layout over the same storage.";
}

function lessonOfSource({ shape, strides }) {
  if (shape.length === 0) return "A scalar: one element, no axes, no strides.";
  let dense = 1;
  const rowMajor = [...shape.keys()].reverse().every((axis) => {
    const fits = shape[axis] === 1 || strides[axis] === dense;
    dense *= shape[axis];
    return fits;
  });
  return rowMajor
    ? "Row-major: the last axis steps by 1, every other by the product of the sizes after it."
    : "Column-major: the first axis steps by 1, every other by the product of the sizes before it.";
}

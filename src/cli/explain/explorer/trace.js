// What the command found: the steps, the storages they live in, and where every value came from.

/** Integers too long for a browser's numbers become strings: shown exactly, never computed with. */
function parseExactly(text) {
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, (part) => (part[0] === '"' ? part : `"${part}"`)));
}

const data = parseExactly(document.getElementById("data").textContent);
const { report } = data;
const elementBytes = report.elem_size;

/** Storage 0 is the source's; each copy fills another, dense. */
const storages = [{ length: data.source.storage_len, copy: null }];
for (const copy of data.copies) {
  if (copy) storages.push({ length: product(copy.to.shape), copy });
}

/** One stage of the page: a layout, and the storages that its elements are read from. */
function stage(op, layout, storage, step, copy) {
  const panels = copy
    ? [{ title: "Old storage", layout: copy.from, storage: storage - 1 },
       { title: "New storage", layout, storage }]
    : [{ title: "Storage", layout, storage }];
  return { op, layout, step, copy, panels, failed: false };
}

const stages = [stage(data.source.text, data.source, 0, null, null)];
report.steps.forEach((step, at) => stages.push(stage(step.op, step, step.storage, step, data.copies[at])));
if (data.failed !== null) {
  // The step that cannot be is explained over the one before it.
  const { layout, panels } = stages[stages.length - 1];
  stages.push({ op: data.failed, layout, step: null, copy: null, panels: panels.slice(-1), failed: true });
}

/** The source's slot whose value stands in `slot` of a storage. */
function sourceOf(storage, slot) {
  for (; storage > 0; storage--) {
    const { from, to } = storages[storage].copy;
    const [position] = readers(to, slot, 1).positions;
    slot = slotAt(from, position);
  }
  return slot;
}

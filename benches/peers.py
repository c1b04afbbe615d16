#!/usr/bin/env python3
"""NumPy, PyTorch and JAX beside restride: one process, the same memory, the same rounds.

    cargo build --release --features capi
    pip install numpy torch jax
    python3 benches/peers.py --suite main --max-bytes 64M --json peers-python.json

Only NumPy must be there; what else is missing is named and left out. Every output is compared
with NumPy's before anything is timed. Reused: the same touched memory in every call. Fresh: a new
output in every call; allocation, page faults and release are inside the time.

restride is called through its C interface by ctypes, which costs about a microsecond a call, as
much as the other libraries' way through Python. JAX has no views: what the case does to a dense
array is compiled as one function, and each output is new. PyTorch has no negative strides: such a
case is a `flip`, whose output is new.
"""

import argparse
import ctypes
import importlib
import json
import math
import os
import platform
import random
import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT / "benches" / "suites"
# Element types of the text form, as NumPy's of the same size.
DTYPES = {
    "bool": "u1", "u8": "u1", "i8": "u1",
    "u16": "f2", "i16": "f2", "f16": "f2", "bf16": "f2",
    "u32": "f4", "i32": "f4", "f32": "f4",
    "u64": "f8", "i64": "f8", "f64": "f8", "c64": "f8",
    "c128": "c16", "u128": "c16",
}
PEERS = ("numpy", "torch", "jax")
MIN_SAMPLE = 100e-6  # seconds; shorter calls are repeated within a sample


def give_up(message):
    """Bad input: the message, and exit code 2."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def parse_bytes(text):
    found = re.fullmatch(r"\s*([\d.]+)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"`{text}` is no number of bytes; write for example 64M")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("specs", nargs="*", metavar="SPEC", help="for example 'f32[4096,4096].T'")
    parser.add_argument("--suite", metavar="NAME|FILE",
                        help="main, models, permutation, ttc57, or a JSON file of that form; main "
                        "without SPEC")
    parser.add_argument("--filter", metavar="TEXT", default="",
                        help="only cases whose name or spec contains this")
    parser.add_argument("--max-bytes", type=parse_bytes, metavar="N", default=math.inf,
                        help="skip cases that write more than this, for example 64M")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="processors that the process keeps to, and threads (default 1)")
    parser.add_argument("--peers", default=",".join(PEERS), metavar="A,B",
                        help=f"which libraries (default {','.join(PEERS)})")
    parser.add_argument("--quick", action="store_true", help="few rounds: a first look")
    parser.add_argument("--library", type=Path, metavar="FILE",
                        help="librestride.so (default: that of `cargo build --release`)")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write everything, raw rounds included")
    args = parser.parse_args()
    if args.threads < 1 or args.threads > os.cpu_count():
        give_up(f"--threads {args.threads}: this machine has {os.cpu_count()} processors")
    args.peers = [name for name in args.peers.split(",") if name]
    if unknown := [name for name in args.peers if name not in PEERS]:
        give_up(f"--peers: `{unknown[0]}` is none of {', '.join(PEERS)}")
    return args


# Cases: from the text to a view of a NumPy array.


class View:
    """A NumPy view with PyTorch's methods, so that a spec with its source replaced evaluates."""

    def __init__(self, array, root, copied=None):
        self.array = array
        self.root = root  # all elements of the memory that the view lies in
        self.copied = copied  # the view that the last copy read, and its root

    def _view(self, array):
        return View(array, self.root, self.copied)

    def _copy(self, shape=None):
        array = self.array.copy(order="C")
        shape = array.shape if shape is None else shape
        return View(array.reshape(shape), array.reshape(-1), (self.array, self.root))

    T = property(lambda self: self._view(self.array.T))
    mT = property(lambda self: self.transpose(-1, -2))

    def permute(self, *axes):
        return self._view(self.array.transpose(unpack(axes)))

    def transpose(self, a, b):
        return self._view(self.array.swapaxes(a, b))

    swapaxes = transpose

    def movedim(self, a, b):
        return self._view(np.moveaxis(self.array, a, b))

    def flip(self, *axes):
        return self._view(np.flip(self.array, tuple(unpack(axes))))

    def squeeze(self, axis=None):
        if axis is not None and self.array.shape[axis] != 1:
            return self
        return self._view(self.array.squeeze(axis))

    def unsqueeze(self, axis):
        return self._view(np.expand_dims(self.array, axis))

    def expand(self, *sizes):
        sizes = list(unpack(sizes))
        for back, size in enumerate(reversed(self.array.shape), 1):
            if sizes[-back] == -1:
                sizes[-back] = size
        return self._view(np.broadcast_to(self.array, sizes))

    broadcast_to = expand

    def _along(self, axis, index):
        return self._view(self.array[(slice(None),) * (axis % self.array.ndim) + (index,)])

    def narrow(self, axis, start, length):
        return self._along(axis, slice(start, start + length))

    def select(self, axis, index):
        return self._along(axis, index)

    def diagonal(self, offset=0, dim1=0, dim2=1):
        return self._view(self.array.diagonal(offset, dim1, dim2))

    def unfold(self, axis, size, step):
        windows = np.lib.stride_tricks.sliding_window_view(self.array, size, axis)
        return self._view(windows)._along(axis % self.array.ndim, slice(None, None, step))

    def as_strided(self, shape, strides, offset=0):
        strides = [stride * self.root.itemsize for stride in strides]
        return self._view(np.lib.stride_tricks.as_strided(self.root[offset:], shape, strides))

    def view(self, *sizes):
        shape = tuple(unpack(sizes))
        array = np.reshape(self.array, shape)
        if not np.shares_memory(array, self.array):
            raise ValueError(f"no view of shape {shape}")
        return self._view(array)

    def reshape(self, *sizes):
        try:
            return self.view(*sizes)
        except ValueError:
            return self._copy(tuple(unpack(sizes)))

    def flatten(self, a=0, b=-1):
        shape = self.array.shape
        a, b = a % len(shape), b % len(shape)
        return self.reshape(*shape[:a], math.prod(shape[a : b + 1]), *shape[b + 1 :])

    def unflatten(self, axis, sizes):
        shape, axis = self.array.shape, axis % self.array.ndim
        return self.view(*shape[:axis], *sizes, *shape[axis + 1 :])

    def contiguous(self):
        return self if self.array.flags.c_contiguous else self._copy()

    def clone(self):
        return self._copy()

    def __getitem__(self, index):
        return self._view(self.array[index])


def unpack(values):
    """`f(1, 2)`, `f((1, 2))` and `f([1, 2])` mean the same."""
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        return values[0]
    return values


class Case:
    """A spec's last copy: a strided view, to be made dense in the order of its axes."""

    def __init__(self, name, spec):
        self.name, self.spec = name, spec
        found = re.match(r"\s*(\w+)\s*\[([\d\s,]*)\]", spec)
        if not found:
            raise ValueError("begin with an array such as f32[3,4]; files are not read here")
        opaque = re.fullmatch(r"u8x([1-9]\d*)", found[1])
        if not opaque and found[1] not in DTYPES:
            raise ValueError(f"unknown element `{found[1]}`")
        self.dtype = np.dtype(f"V{opaque[1]}" if opaque else DTYPES[found[1]])
        self.shape = tuple(int(size) for size in found[2].split(",") if size.strip())
        self.code = compile("x" + spec[found.end() :], spec, "eval")
        self.view, self.root = self._last_copy(np.empty(self.shape, self.dtype))
        self.bytes = self.view.nbytes

    def _last_copy(self, source):
        start = View(source, source.reshape(-1))
        result = eval(self.code, {"__builtins__": {}}, {"x": start})
        if result.copied is not None and result.array.flags.c_contiguous:
            return result.copied
        return result.array, result.root

    def fill(self):
        """Makes the source and the right output."""
        self.view, self.root = self._last_copy(noise(self.dtype, self.shape))
        self.expected = self.view.copy(order="C")

    def empty(self):
        """Drops them."""
        self.view = self.root = self.expected = None

    def is_right(self, output):
        bits = [np.asarray(one).reshape(-1).view(np.uint8) for one in (output, self.expected)]
        return np.array_equal(*bits)

    def strides(self):
        """In elements."""
        return [stride // self.view.itemsize for stride in self.view.strides]

    def lowest(self):
        """Where the view's lowest element is in the root."""
        first = self.view.ctypes.data - self.root.ctypes.data
        sizes = zip(self.view.shape, self.view.strides)
        return (first + sum(min(0, (size - 1) * stride) for size, stride in sizes)) // (
            self.view.itemsize
        )


def noise(dtype, shape):
    """Data that does not repeat; floats of it are finite, so that no library changes their bits."""
    count = math.prod(shape) * dtype.itemsize
    words = np.random.default_rng(1).integers(0, 1 << 63, count // 8 + 1, np.uint64)
    words &= np.uint64(0xBFFFBFFFBFFFBFFF)
    return words.view(np.uint8)[:count].view(dtype).reshape(shape)


# Contenders: functions that make their case's output and return it.


class Restride:
    """restride through its C interface, and memcpy."""

    def __init__(self, path):
        self.library = library = ctypes.CDLL(str(path))
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        library.restride_plan_new.argtypes = [size, size] + [pointer] * 3 + [size, pointer]
        library.restride_plan_execute.argtypes = [pointer] * 3
        library.restride_plan_free.argtypes = [pointer]
        library.restride_plan_free.restype = None
        for name in ("restride_version", "restride_isa", "restride_last_error"):
            getattr(library, name).restype = ctypes.c_char_p
        self.version = library.restride_version().decode()
        self.isa = library.restride_isa().decode()

    def plan(self, view, output, threads):
        """A prepared copy from `view` to the address of an output like `output`."""
        rank = view.ndim
        numbers = [(ctypes.c_size_t * rank)(*view.shape)]
        numbers += [(ctypes.c_ssize_t * rank)(*array.strides) for array in (view, output)]
        plan = ctypes.c_void_p()
        failed = self.library.restride_plan_new(
            view.itemsize, rank, *numbers, threads, ctypes.byref(plan)
        )
        if failed:
            raise RuntimeError(self.library.restride_last_error().decode())
        execute, source = self.library.restride_plan_execute, view.ctypes.data
        return plan, lambda output: execute(plan, source, output)


def address_of(array):
    return ctypes.byref(ctypes.c_char.from_buffer(array))


def restride_calls(library, case, reused, threads):
    plan, execute = library.plan(case.view, reused, threads)
    address, source = reused.ctypes.data, case.root.ctypes.data
    source_bytes = case.root.nbytes

    def into_new(copy):
        def call():
            output = np.empty(case.view.shape, case.dtype)
            copy(address_of(output))  # cheaper than `output.ctypes`
            return output

        return call

    calls = {"restride": (lambda: execute(address) or reused, into_new(execute))}
    dense = np.empty(0) if source_bytes >= case.bytes else noise(case.dtype, case.view.shape)
    begin = source if source_bytes >= case.bytes else dense.ctypes.data

    def memcpy(output):
        ctypes.memmove(output, begin, case.bytes)

    calls["memcpy"] = (lambda: memcpy(address), into_new(memcpy))
    return calls, (plan, dense)


def numpy_calls(_, case, reused):
    view = case.view
    return lambda: np.copyto(reused, view) or reused, lambda: view.copy(order="C")


def torch_calls(torch, case, reused):
    strides = case.strides()
    backward = [axis for axis, stride in enumerate(strides) if stride < 0]
    root = torch.from_numpy(case.root)
    forward = [abs(stride) for stride in strides]
    view = torch.as_strided(root, case.view.shape, forward, case.lowest())
    if backward:
        return None, lambda: torch.flip(view, backward).contiguous().numpy()
    target = torch.from_numpy(reused)

    def into_reused():
        target.copy_(view)
        return reused

    layout = torch.contiguous_format
    return into_reused, lambda: view.clone(memory_format=layout).numpy()


def jax_calls(jax, case, _):
    recipe = embedding(case)
    if recipe is None:
        return None, None
    dims, sizes, axes, backward = recipe
    flat = np.zeros(math.prod(dims), case.dtype)
    there = case.root[case.lowest() :][: flat.size]
    flat[: there.size] = there
    dense = jax.numpy.asarray(flat.reshape(dims))
    shape = case.view.shape

    def steps(x):
        x = x[tuple(slice(0, size) for size in sizes)]
        kept = [axis for axis in axes if axis is not None]
        if len(kept) < len(dims):
            x = x.reshape(x.shape[:-1])
        x = jax.numpy.transpose(x, kept)
        x = jax.numpy.expand_dims(x, [at for at, axis in enumerate(axes) if axis is None])
        return jax.numpy.flip(jax.numpy.broadcast_to(x, shape), backward)

    # A function that changes nothing would be given back its argument.
    trivial = list(axes) == list(range(len(dims))) and dims == sizes and not backward
    compiled = jax.numpy.copy if trivial else jax.jit(steps)
    return None, lambda: compiled(dense).block_until_ready()


def embedding(case):
    """A dense array around the view: its shape, how much of each axis is read, for each axis of
    the view its axis of the array (None where it is broadcast), and the axes to turn round."""
    strides = case.strides()
    shape = case.view.shape
    moving = [axis for axis in range(len(shape)) if shape[axis] > 1 and strides[axis] != 0]
    moving.sort(key=lambda axis: -abs(strides[axis]))
    dims, sizes, axes, outer = [], [], [None] * len(shape), None
    for at, axis in enumerate(moving):
        size, stride = shape[axis], abs(strides[axis])
        if outer is not None and (outer % stride or outer // stride < size):
            return None
        dims.append(size if outer is None else outer // stride)
        sizes.append(size)
        axes[axis] = at
        outer = stride
    if outer is not None and outer > 1:
        dims.append(outer)
        sizes.append(1)
    return dims, sizes, axes, [axis for axis in moving if strides[axis] < 0]


CALLS = {"numpy": numpy_calls, "torch": torch_calls, "jax": jax_calls}


# Rounds.


def seconds_of(call, count):
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def rounds(calls, quick):
    """Samples of every call, taken in rounds of changing order."""
    least, most, budget = (3, 15, 0.15) if quick else (5, 50, 1.0)
    counts = {}
    for name, call in calls.items():
        counts[name] = 1
        while (took := seconds_of(call, counts[name]) * counts[name]) < MIN_SAMPLE:
            counts[name] = math.ceil(counts[name] * min(10, max(1.2, MIN_SAMPLE / took)))
    samples = {name: [] for name in calls}
    order = list(calls)
    shuffle = random.Random(1).shuffle
    begin = time.perf_counter()
    for done in range(most):
        if done >= least and time.perf_counter() - begin > budget:
            break
        shuffle(order)
        for name in order:
            calls[name]()  # caches as in a loop of its own
            samples[name].append(seconds_of(calls[name], counts[name]))
    return samples


def measure(case, library, peers, args):
    """Both kinds of destination; the names of those whose output was wrong."""
    reused = np.empty(case.view.shape, case.dtype)
    both, kept = restride_calls(library, case, reused, args.threads)
    wrong = []
    for name, module in peers.items():
        try:
            both[name] = CALLS[name](module, case, reused)
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            print(f"{case.name}: {name} left out: {error}", file=sys.stderr)
    results = {}
    for mode, kind in enumerate(("reused", "fresh")):
        calls = {name: pair[mode] for name, pair in both.items() if pair[mode] is not None}
        for name in [name for name in calls if name != "memcpy"]:
            reused.reshape(-1).view(np.uint8).fill(0xA5)
            if not case.is_right(calls[name]()):
                wrong.append(name)
                del calls[name]
                print(f"{case.name}: {name} ({kind}) is wrong, and left out", file=sys.stderr)
        if "restride" in wrong:
            sys.exit(1)
        samples = rounds(calls, args.quick)
        results[kind] = {
            name: {"seconds": statistics.median(taken), "rounds": taken}
            for name, taken in samples.items()
        }
    library.library.restride_plan_free(kept[0])
    return results, wrong


# The whole.


def find_library(given):
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    name = {"darwin": "librestride.dylib", "win32": "restride.dll"}.get(
        sys.platform, "librestride.so"
    )
    path = given or target / "release" / name
    if not path.is_file():
        give_up(f"{path}: no such file; run `cargo build --release --features capi` first, or "
                "name the file with --library")
    try:
        return Restride(path)
    except (OSError, AttributeError) as error:
        give_up(f"{path}: not restride's C library ({error}); build it with `cargo build --release "
                "--features capi`")


def find_peers(names, threads):
    """The modules that are there; says how to get the others."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.import_module(name)
        except ImportError as error:
            print(f"{name} is left out ({error}): pip install {name}", file=sys.stderr)
    if torch := found.get("torch"):
        torch.set_num_threads(threads)
    if jax := found.get("jax"):
        jax.config.update("jax_enable_x64", True)
    return found


def entries(args):
    if args.specs:
        return "command line", [(spec, spec) for spec in args.specs]
    suite = args.suite or "main"
    path = SUITES / f"{suite}.json"
    path = path if path.is_file() else Path(suite)
    try:
        content = json.loads(path.read_text())
        return content["suite"], [(case["name"], case["spec"]) for case in content["cases"]]
    except OSError:
        known = ", ".join(sorted(file.stem for file in SUITES.glob("*.json")))
        give_up(f"--suite {suite}: neither a file nor one of {known}")
    except (ValueError, KeyError, TypeError) as error:
        give_up(f"{path}: not a suite ({error!r})")


def table(kind, cases, names):
    width = max([len(case["name"]) for case in cases] + [14])
    lines = [f"{kind} destination: speed relative to memcpy; x: restride over the best of the rest",
             f"{'case':{width}}  memcpy GB/s" + "".join(f"{name:>10}" for name in names)
             + f"{'x':>8}"]
    leads = []
    for case in cases:
        runs = case[kind]
        copy = runs["memcpy"]["seconds"]
        line = f"{case['name']:{width}}  {2 * case['bytes'] / copy / 1e9:11.1f}"
        for name in names:
            line += f"{copy / runs[name]['seconds']:10.2f}" if name in runs else " " * 10
        others = [runs[name]["seconds"] for name in names if name in runs and name != "restride"]
        if others:
            leads.append(min(others) / runs["restride"]["seconds"])
            line += f"{leads[-1]:8.2f}" + ("  <" if leads[-1] < 1 else "")
        lines.append(line)
    if leads:
        mean = math.exp(statistics.fmean(map(math.log, leads)))
        lines.append(f"{'geometric mean':{width}}" + " " * (13 + 10 * len(names)) + f"{mean:8.2f}")
    return "\n".join(lines)


def main():
    args = arguments()
    if hasattr(os, "sched_setaffinity"):  # before anybody starts threads
        allowed = sorted(os.sched_getaffinity(0))
        if args.threads > len(allowed):
            give_up(f"--threads {args.threads}: this process may use {len(allowed)} processors")
        os.sched_setaffinity(0, allowed[: args.threads])
    global np
    try:
        import numpy as np
    except ImportError:
        give_up("NumPy holds the data and must be there: pip install numpy")
    library = find_library(args.library)
    peers = find_peers(args.peers, args.threads)
    suite, named = entries(args)
    report = {
        "suite": suite,
        "complete": False,
        "threads": args.threads,
        "platform": platform.platform(),
        "isa": library.isa,
        "versions": {"restride": library.version, "python": platform.python_version()}
        | {name: module.__version__ for name, module in peers.items()},
        "skipped": [],
        "cases": [],
    }
    print(", ".join(f"{name} {version}" for name, version in report["versions"].items()),
          f"({library.isa})", file=sys.stderr)
    for name, spec in named:
        if args.filter not in name and args.filter not in spec:
            continue
        try:
            case = Case(name, spec)
        except Exception as error:  # whatever Python makes of a spec that is not for it
            if args.specs:
                give_up(f"{spec}: {error}")
            print(f"{name}: skipped: {error}", file=sys.stderr)
            report["skipped"].append(name)
            continue
        if case.bytes > args.max_bytes or case.bytes == 0:
            report["skipped"].append(name)
            continue
        case.fill()
        results, wrong = measure(case, library, peers, args)
        record = {"name": name, "spec": spec, "bytes": case.bytes, "wrong": wrong}
        report["cases"].append(record | results)
        case.empty()
        if args.json:
            save(args.json, report)
    if not report["cases"]:
        give_up("no case left to run")
    report["complete"] = True
    if args.json:
        save(args.json, report)
    names = ["restride", *peers]
    print("\n\n".join(table(kind, report["cases"], names) for kind in ("reused", "fresh")))
    print("memcpy GB/s counts bytes read plus bytes written; < marks cases where a library is ahead")
    if report["skipped"]:
        print(f"skipped: {len(report['skipped'])} case(s)")


def save(path, report):
    """The whole file or none."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(json.dumps(report) + "\n")
        partial.replace(path)
    except OSError as error:
        give_up(f"--json {path}: {error.strerror}")


if __name__ == "__main__":
    main()

"""Tensors between NumPy and the example library `dlpack_ctypes`, both ways.

    python3 numpy.py LIBRARY
"""

import ctypes
import gc
import itertools
import random
import sys

# This file's own directory comes first in the path, and holds a `numpy.py`.
sys.path.pop(0)

import numpy as np  # noqa: E402

library = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p
for name, arguments, result in [
    ("example_contiguous", [pointer], pointer),
    ("example_contiguous_older", [pointer], pointer),
    ("example_copy", [pointer, pointer], ctypes.c_bool),
    ("example_view", [ctypes.c_uint16, ctypes.c_uint16], pointer),
]:
    function = getattr(library, name)
    function.argtypes, function.restype = arguments, result

capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.argtypes = [pointer, ctypes.c_char_p, pointer]
capsule_new.restype = ctypes.py_object
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule_pointer.restype = pointer
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]

# Capsules keep pointers to their names.
NAMES = {
    True: (b"dltensor_versioned", b"used_dltensor_versioned"),
    False: (b"dltensor", b"used_dltensor"),
}


def given(array, versioned=True):
    """What NumPy gives, with the capsule marked as used before anybody looks into it."""
    name, used = NAMES[versioned]
    capsule = array.__dlpack__(max_version=(1, 0) if versioned else None)
    tensor = capsule_pointer(capsule, name)
    capsule_rename(capsule, used)
    return tensor


class Taken:
    """A tensor that `numpy.from_dlpack` takes."""

    def __init__(self, tensor, versioned=True):
        assert tensor, "the library refused"
        self.tensor, self.versioned = tensor, versioned

    def __dlpack__(self, **_):
        return capsule_new(self.tensor, NAMES[self.versioned][0], None)

    def __dlpack_device__(self):
        return (1, 0)


def contiguous(array, versioned=True):
    function = library.example_contiguous if versioned else library.example_contiguous_older
    return np.from_dlpack(Taken(function(given(array, versioned)), versioned))


def same(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (ours, theirs)
    assert ours.flags.c_contiguous and not np.shares_memory(ours, theirs)
    np.testing.assert_array_equal(ours, theirs)


def random_view(generator, dtype):
    """A view of rank 0 to 6: permuted, sliced by either sign of step, broadcast."""
    rank = generator.randrange(7)
    shape = [generator.choice([0, 1, 2, 3, 5]) if rank > 2 else generator.randrange(9)
             for _ in range(rank)]
    view = (np.arange(np.prod(shape, dtype=int)) % 120).astype(dtype).reshape(shape)
    view = view.transpose(generator.sample(range(rank), rank))
    steps = [generator.choice([1, 1, -1, 2, -2]) for _ in range(rank)]
    view = view[(..., *(slice(None, None, step) for step in steps))]
    if generator.random() < 0.3:
        view = np.broadcast_to(view[..., None], (*view.shape, 3))
    return view


generator = random.Random(7)
types = ["?", "b", "h", "i", "q", "B", "H", "I", "Q", "f", "d"]
for dtype, _ in itertools.product(types, range(40)):
    view = random_view(generator, dtype)
    same(contiguous(view), view)
    # A read-only array cannot be given in the older struct.
    if view.flags.writeable:
        same(contiguous(view, versioned=False), view)

# Type codes that the library knows no type of are refused, and deleted.
assert library.example_contiguous(given(np.zeros(3, dtype="F"))) is None

# Nobody keeps what was given, refused or not.
kept = np.arange(12, dtype="f").reshape(3, 4)
before = sys.getrefcount(kept)
for _ in range(100):
    contiguous(kept.T)
    library.example_copy(given(kept), given(kept.T))  # refused: the shapes differ
gc.collect()
assert sys.getrefcount(kept) == before

# Written through strides of either sign; a read-only array is not written.
target = np.zeros((4, 6), dtype="f")
assert library.example_copy(given(kept.T), given(target[::-1, ::2]))
np.testing.assert_array_equal(target[::-1, ::2], kept.T)
assert not target[:, 1::2].any()
target.flags.writeable = False
saved = target.copy()
assert not library.example_copy(given(kept.T), given(target[:, :3]))
np.testing.assert_array_equal(target, saved)

# Strides of either sign, given to NumPy.
view = np.from_dlpack(Taken(library.example_view(3, 5)))
np.testing.assert_array_equal(view, np.arange(15, dtype="H").reshape(3, 5).T[::-1])
assert view.strides == (-2, 10)
view[0, 0] = 99
assert view.flags.writeable and view[0, 0] == 99
for empty in [(0, 5), (3, 0)]:
    assert np.from_dlpack(Taken(library.example_view(*empty))).shape == empty[::-1]

print("NumPy and restride agree")

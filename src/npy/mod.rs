//! `.npy` files: headers read exactly, data mapped.

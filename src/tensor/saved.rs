//! A view kept for later, which notices when its values have changed meanwhile.

use super::{Read, Tensor, TensorError};

/// A tensor, and the version its storage had when it was saved ([`Tensor::save`]).
///
/// What a backward pass needs of its inputs is kept like this: a write to the storage in between,
/// through whatever view, makes the kept view useless, and must not go unnoticed. The whole
/// storage counts, as in PyTorch, also where the view's own elements were left alone.
///
/// ```
/// use restride::tensor::{Tensor, TensorError};
///
/// let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let saved = x.t().save()?;
/// assert_eq!(saved.tensor()?.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
/// x.set(&[0, 0], 9.0)?;
/// assert_eq!(saved.tensor().unwrap_err(), TensorError::Changed { saved: 0, now: 1 });
/// # Ok::<(), TensorError>(())
/// ```
#[derive(Debug)]
pub struct Saved<T> {
    tensor: Tensor<T>,
    version: u64,
}

impl<T> Tensor<T> {
    /// Keeps the view together with the present version of its storage.
    ///
    /// # Errors
    /// [`TensorError::InUse`] while somebody writes the storage.
    pub fn save(&self) -> Result<Saved<T>, TensorError> {
        let _values_stay = self.read()?;
        Ok(Saved { tensor: self.shallow_clone(), version: self.storage().version() })
    }
}

impl<T> Saved<T> {
    /// The saved view, if its storage has not been written since.
    ///
    /// # Errors
    /// [`TensorError::Changed`] when it has.
    pub fn tensor(&self) -> Result<&Tensor<T>, TensorError> {
        let now = self.tensor.storage().version();
        if now != self.version {
            return Err(TensorError::Changed { saved: self.version, now });
        }
        Ok(&self.tensor)
    }

    /// The saved view open for reading, so that its values cannot change after they were checked.
    ///
    /// # Errors
    /// [`TensorError::Changed`] when the storage has been written since; [`TensorError::InUse`]
    /// while somebody writes it.
    pub fn read(&self) -> Result<Read<'_, T>, TensorError> {
        let open = self.tensor.read()?;
        self.tensor()?;
        Ok(open)
    }
}

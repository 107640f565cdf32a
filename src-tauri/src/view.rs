//! What crosses to the window: values for reading, parameters and events. The TypeScript in `ui/src/ipc/generated` is made from
//! these types and from nothing else; `tests/bindings.rs` fails when it is stale.
//!
//! Everything is camelCase on the wire, unions are tagged, ids are strings, and what is missing is written as `null`.

/// A core enum and its view with the same variants, none of which holds anything.
macro_rules! mirror {
    ($core:ty => $view:ty { $($variant:ident),* $(,)? }) => {
        impl From<$core> for $view {
            fn from(value: $core) -> Self {
                match value {
                    $(<$core>::$variant => Self::$variant,)*
                }
            }
        }
    };
}

pub mod approval;
pub mod assistant;
pub mod audit;
pub mod conversation;
pub mod error;
pub mod inspect;
pub mod library;
pub mod memory;
pub mod model;
pub mod models;
pub mod preview;
pub mod request;
pub mod rules;
pub mod settings;
pub mod summary;
pub mod todo;
pub mod turn;
pub mod undo;

/// A count as the window gets it.
pub(crate) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

//! Identifiers: strings with a prefix, so that they can be read in a log and not be mixed up in code.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The identifier as it is written outside the program.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

id! {
    /// A conversation, `cv_…`.
    ConversationId
}
id! {
    /// A turn: one question and its answer, `tn_…`.
    TurnId
}
id! {
    /// One call of a model, `rq_…`.
    RequestId
}
id! {
    /// One question to the user about a write, `ap_…`; drawn at random, because knowing it is what allows to answer it.
    ApprovalId
}
id! {
    /// A tool call. A server chooses it (`call_…`); where none did, the turn numbers its calls (`c1`, `c2` …).
    CallId
}
id! {
    /// An assistant, `as_…`.
    AssistantId
}
id! {
    /// A text or a file that an assistant always knows, `kn_…`.
    KnowledgeId
}
id! {
    /// A remembered sentence, `me_…`.
    MemoryId
}
id! {
    /// A block of a request, unique within the request: `instructions`, `history/tn_1/question`, `result/c1` …
    BlockId
}

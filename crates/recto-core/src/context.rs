//! What a request is made of: blocks, the plan over them, and the two arrangements (work and answer).

pub mod answer;
pub mod block;
pub mod cut;
pub mod fold;
pub mod omission;
pub mod plan;
pub mod pointers;
pub mod summarise;
pub mod summary;
pub mod system;
pub mod work;

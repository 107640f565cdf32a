//! The record as its users see it: what is committed stays, what is rebuilt is what was sent, and what goes wrong is a sentence.

#[cfg(test)]
mod assistants;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod bundle;
#[cfg(test)]
mod checkups;
#[cfg(test)]
mod conversations;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod entries;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod library;
#[cfg(test)]
mod memories;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod recovery;
#[cfg(test)]
mod replaced;
mod requests;
#[cfg(test)]
mod seals;
#[cfg(test)]
mod todos;

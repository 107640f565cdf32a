//! How much of the library's speed arrives: a bare decode loop over llama.cpp beside the same work through `LocalModel`, with the same model, thread count
//! and tokens. `bare_loop MODEL [THREADS]` prints both and their ratio.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use recto_core::context::block::Role;
use recto_core::id::ConversationId;
use recto_core::request::{Marks, ModelRequest, Part, Purpose, RequestMessage, Sampling};
use recto_engine::ports::{ModelClient, Stop};
use recto_local::{LoadOptions, LocalModel};
use std::error::Error;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Instant;

const N_READ: usize = 512;
const N_WRITTEN: u32 = 128;
const N_ROUNDS: u32 = 3;

/// Tokens a second, reading and writing.
#[derive(Clone, Copy, Default)]
struct Speed {
    read: f64,
    write: f64,
}

impl Speed {
    fn best(self, other: Self) -> Self {
        Self { read: self.read.max(other.read), write: self.write.max(other.write) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: bare_loop MODEL [THREADS]")?;
    let threads = arguments.next().map_or(Ok(2), |text| text.parse::<u32>())?;
    let path = Path::new(&path);
    let (_switch, stop) = Stop::new();
    let options = LoadOptions { threads: Some(threads), ..LoadOptions::default() };
    // This sets up the library for the whole program.
    let ours = LocalModel::load(path, &options, |_| {}, &stop)?;
    let backend = LlamaBackend {};
    let model = LlamaModel::load_from_file(&backend, path, &LlamaModelParams::default())?;
    let mut bare = bare_context(&model, &backend, threads)?;
    // Taken in turns and the best of each, so that what else the machine does weighs on both.
    let (mut best_ours, mut best_bare) = (Speed::default(), Speed::default());
    for round in 1..=N_ROUNDS {
        let (speed, prompt) = through_recto(&ours, round, &stop)?;
        best_ours = best_ours.best(speed);
        best_bare = best_bare.best(through_bare_loop(&model, &mut bare, &prompt)?);
    }
    println!("{:<12} {:>10} {:>10}", "", "read t/s", "write t/s");
    println!("{:<12} {:>10.2} {:>10.2}", "bare loop", best_bare.read, best_bare.write);
    println!("{:<12} {:>10.2} {:>10.2}", "LocalModel", best_ours.read, best_ours.write);
    let percent = |ours: f64, bare: f64| 100.0 * ours / bare;
    let (read, write) = (percent(best_ours.read, best_bare.read), percent(best_ours.write, best_bare.write));
    println!("{:<12} {read:>9.1}% {write:>9.1}%", "ratio");
    drop(bare);
    drop(model);
    // The library's one handle belongs to `LocalModel`; this one must not free it.
    std::mem::forget(backend);
    Ok(())
}

/// A text of so many tokens that the whole prompt has `N_READ`.
fn request(model: &LocalModel, round: u32) -> Result<(ModelRequest, recto_core::request::Wire), Box<dyn Error>> {
    let sentence = "The tide gauge at the pier stood at three metres on the second morning of March. ";
    // The beginning differs from round to round, so that nothing is reused.
    let mut text = format!("Round {round}. Go on with this story for as long as you can.\n");
    loop {
        let request = ModelRequest {
            purpose: Purpose::Work,
            messages: vec![RequestMessage {
                role: Role::User,
                call: None,
                parts: vec![Part::Text { block: 0, text: text.clone() }],
            }],
            tools: Vec::new(),
            may_call: false,
            step: None,
            sampling: Sampling { temperature: 0.0, seed: 1, max_tokens: N_WRITTEN },
            marks: Marks::default(),
        };
        let wire = model.encode(&request)?;
        let n = model.measure(&wire).iter().sum::<u32>() as usize;
        if n >= N_READ {
            return Ok((request, wire));
        }
        text.push_str(if n + 18 < N_READ { sentence } else { "a " });
    }
}

fn through_recto(model: &LocalModel, round: u32, stop: &Stop) -> Result<(Speed, String), Box<dyn Error>> {
    let (request, wire) = request(model, round)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let id = ConversationId::from("cv_bench");
    let reply = runtime.block_on(model.send(&id, &request, &wire, &mut |_| {}, stop.clone()))?;
    let usage = reply.usage;
    let (Some(n_read), Some(n_written), Some(first), Some(total)) =
        (usage.n_evaluated, usage.n_written, usage.first_token_ms, usage.total_ms)
    else {
        return Err("the model measured nothing".into());
    };
    eprintln!("LocalModel: {n_read} read in {first} ms, {n_written} written in {} ms", total - first);
    let speed = Speed {
        read: f64::from(n_read) * 1_000.0 / first as f64,
        write: f64::from(n_written) * 1_000.0 / (total - first).max(1) as f64,
    };
    Ok((speed, wire.bytes()))
}

fn bare_context<'model>(
    model: &'model LlamaModel,
    backend: &LlamaBackend,
    threads: u32,
) -> Result<LlamaContext<'model>, Box<dyn Error>> {
    let threads = i32::try_from(threads)?;
    let parameters = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(8_192))
        .with_n_batch(512)
        .with_n_ubatch(512)
        .with_n_threads(threads)
        .with_n_threads_batch(threads);
    Ok(model.new_context(backend, parameters)?)
}

fn through_bare_loop(
    model: &LlamaModel,
    context: &mut LlamaContext<'_>,
    prompt: &str,
) -> Result<Speed, Box<dyn Error>> {
    let vocab = model.vocab();
    let mut tokens = vocab.tokenize(prompt.as_bytes(), false, true);
    tokens.truncate(N_READ);
    let mut batch = LlamaBatch::new(N_READ, 1);
    context.clear_kv_cache();
    let started = Instant::now();
    batch.add_sequence(&tokens, 0, false)?;
    context.decode(&mut batch)?;
    let mut greedy = LlamaSampler::greedy();
    let mut token = greedy.sample(context, -1);
    let read = started.elapsed();
    let started = Instant::now();
    let mut n_written = 1;
    for position in tokens.len().. {
        if n_written == N_WRITTEN || vocab.is_eog(token) {
            break;
        }
        batch.clear();
        batch.add(token, i32::try_from(position)?, &[0], true)?;
        context.decode(&mut batch)?;
        token = greedy.sample(context, -1);
        n_written += 1;
    }
    let written = started.elapsed();
    eprintln!(
        "bare loop: {} read in {} ms, {n_written} written in {} ms",
        tokens.len(),
        read.as_millis(),
        written.as_millis()
    );
    Ok(Speed { read: tokens.len() as f64 / read.as_secs_f64(), write: f64::from(n_written) / written.as_secs_f64() })
}

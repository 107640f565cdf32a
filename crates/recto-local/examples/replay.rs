//! Sends the prompt in a file to a model and prints the reply: `replay MODEL PROMPT [SEEDS] [TEMPERATURE]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for the bench")]
use recto_core::context::plan::Budget;
use recto_core::request::{ModelRequest, Purpose, Sampling, Wire};
use recto_engine::ports::{ModelClient as _, Stop};
#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (_switch, stop) = Stop::new();
    let model =
        recto_local::LocalModel::load(args[1].as_ref(), &recto_local::LoadOptions::default(), |_| {}, &stop).unwrap();
    let seeds: u32 = args.get(3).map_or(1, |s| s.parse().unwrap());
    let temperature: f32 = args.get(4).map_or(0.2, |s| s.parse().unwrap());
    let _ = Budget { window: 0, reserve: 0, fixed: 0, per_message: 0 };
    for file in args[2].split(',') {
        let mut wire = Wire::default();
        wire.glue(std::fs::read_to_string(file).unwrap());
        for seed in 0..seeds {
            let request = ModelRequest {
                purpose: Purpose::Work,
                messages: Vec::new(),
                tools: Vec::new(),
                may_call: false,
                step: None,
                sampling: Sampling {
                    temperature,
                    seed,
                    max_tokens: std::env::var("MAXT").map_or(110, |v| v.parse().unwrap()),
                },
            };
            let reply = model.send(&"cv_1".into(), &request, &wire, &mut |_| {}, stop.clone()).await.unwrap();
            println!("=== {file} seed {seed} {:?}\n{}", reply.usage.n_evaluated, reply.text);
        }
    }
}

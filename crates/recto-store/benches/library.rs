//! What the library costs: `cargo xtask bench library`.
//!
//! It makes some fifty megabytes of text in English and Chinese, half and half, whose words are as unequally frequent as in a language
//! (Zipf), writes them into a record as the program does, and prints the time of that, the size of the indices, and the times of
//! questions of different kinds. Promised are less than a minute and less than 50 ms.

use recto_core::library::{DocumentKind, Form, Section, Unit, chunks};
use recto_store::Store;
use recto_store::library::{DocumentState, NewDocument, prepare, warm_up};
use std::error::Error;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

const N_BYTES: usize = 50_000_000;
const N_DOCUMENT: usize = 40_000;
const N_SAMPLES: usize = 20;
/// Characters that Chinese words are made of here.
const CHINESE: &str = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严";

/// A small generator of numbers, so that every run measures the same text.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }

    /// A rank below `n`, each about as frequent as one divided by it.
    fn rank(&mut self, n: usize) -> usize {
        let share = self.roll(1_000_000) as f64 / 1_000_000.0;
        ((n as f64).powf(share) as usize).saturating_sub(1).min(n - 1)
    }
}

fn vocabulary(dice: &mut Dice) -> (Vec<String>, Vec<String>) {
    let syllables =
        ["ta", "ri", "mon", "sel", "ker", "vo", "lin", "dra", "pe", "chu", "gor", "ban", "ist", "ulm", "wey"];
    let latin = (0..60_000).map(|_| (0..2 + dice.roll(3)).map(|_| syllables[dice.roll(syllables.len())]).collect());
    let latin = latin.collect();
    let characters: Vec<char> = CHINESE.chars().collect();
    let chinese = (0..30_000).map(|_| (0..2 + dice.roll(2)).map(|_| characters[dice.roll(characters.len())]).collect());
    (latin, chinese.collect())
}

fn document(dice: &mut Dice, (latin, chinese): &(Vec<String>, Vec<String>), number: usize) -> String {
    let is_chinese = number % 2 == 1;
    let mut text = String::new();
    while text.len() < N_DOCUMENT {
        text.push_str(&format!("\n\n# Part {} of {number}\n\n", text.len()));
        for _ in 0..4 {
            for _ in 0..60 {
                if is_chinese {
                    text.push_str(&chinese[dice.rank(chinese.len())]);
                } else {
                    text.push_str(&latin[dice.rank(latin.len())]);
                    text.push(' ');
                }
            }
            text.push_str(if is_chinese { "。\n\n" } else { ".\n\n" });
        }
    }
    text
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let path = folder.path().join("record.db");
    let store = Store::open(&path, 1)?.store;
    let root = store.add_library_root("/bench".to_owned(), 1).await?;
    let mut dice = Dice(0x5eed_1234_5678_9abc);
    let words = vocabulary(&mut dice);
    let texts: Vec<String> = (0..N_BYTES / N_DOCUMENT).map(|number| document(&mut dice, &words, number)).collect();
    let n_bytes: usize = texts.iter().map(String::len).sum();

    let started = Instant::now();
    warm_up();
    let loaded = started.elapsed();
    let started = Instant::now();
    // One thread cuts while the other writes, as in the program.
    let (sender, prepared) = sync_channel(4);
    let cutting = std::thread::spawn(move || {
        for (number, text) in texts.into_iter().enumerate() {
            if sender.send(prepare(new(root, number, text))).is_err() {
                return;
            }
        }
    });
    let mut longest = Duration::ZERO;
    while let Ok(prepared) = tokio::task::block_in_place(|| prepared.recv()) {
        let writing = Instant::now();
        store.index_document(prepared).await?;
        longest = longest.max(writing.elapsed());
    }
    cutting.join().map_err(|_| "the cutting broke off")?;
    let indexed = started.elapsed();
    let n_passages = store.library_roots().await?[0].n_passages;
    writeln!(
        stdout(),
        "{:.1} MB in {n_passages} passages: {:.1} s ({:.1} MB/s), the longest document {:.0} ms; the dictionary {:.0} ms\nthe record holds {:.1} MB",
        n_bytes as f64 / 1e6,
        indexed.as_secs_f64(),
        n_bytes as f64 / 1e6 / indexed.as_secs_f64(),
        longest.as_secs_f64() * 1e3,
        loaded.as_secs_f64() * 1e3,
        size(&path) as f64 / 1e6,
    )?;

    let (latin, chinese) = &words;
    let of = |words: &[String], ranks: [usize; 5]| ranks.map(|rank| words[rank].as_str()).join(" ");
    let question = [
        ("frequent words", of(latin, [0, 1, 2, 3, 4])),
        ("words of all kinds", of(latin, [3, 40, 400, 4_000, 40_000])),
        ("rare words", of(latin, [20_000, 30_000, 40_000, 50_000, 59_000])),
        ("Chinese, frequent", of(chinese, [0, 1, 2, 3, 4]).replace(' ', "")),
        ("Chinese, all kinds", of(chinese, [3, 40, 400, 4_000, 20_000]).replace(' ', "，")),
        ("one frequent word", latin[0].clone()),
        ("a part of words", "monsel".to_owned()),
        ("nothing", "zzyzx quuxly".to_owned()),
    ];
    writeln!(stdout(), "\n{:<20} {:>8} {:>10} {:>10}", "question", "found", "median", "longest")?;
    for (name, question) in question {
        let mut times = Vec::new();
        let mut n_found = 0;
        for _ in 0..N_SAMPLES {
            let started = Instant::now();
            n_found = store.search_library(&question, 6).await?.len();
            times.push(started.elapsed());
        }
        times.sort();
        let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
        writeln!(
            stdout(),
            "{name:<20} {n_found:>8} {:>10} {:>10}",
            ms(times[N_SAMPLES / 2]),
            ms(times[N_SAMPLES - 1])
        )?;
    }
    let started = Instant::now();
    store.remove_library_root(root).await?;
    writeln!(stdout(), "\nremoved in {:.1} s", started.elapsed().as_secs_f64())?;
    Ok(())
}

fn new(root: i64, number: usize, text: String) -> NewDocument {
    let n_bytes = text.len() as u64;
    let section = Section { form: Form::Markdown, unit: Unit::Line, first: 1, sheet: String::new(), text };
    NewDocument {
        root,
        path: format!("{number}.md"),
        kind: DocumentKind::Markdown,
        n_bytes,
        modified_ms: 1,
        hash: None,
        state: DocumentState::Read,
        chunks: chunks(&[section]),
    }
}

fn size(path: &Path) -> u64 {
    let beside = path.with_extension("db-wal");
    [path, &beside].iter().filter_map(|path| path.metadata().ok()).map(|metadata| metadata.len()).sum()
}

//! Makes a permission for each command, so that what no capability names cannot be called.

macro_rules! commands {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        const COMMANDS: &[&str] = &[$(stringify!($name)),*];
    };
}

include!("src/command_list.rs");

fn main() {
    println!("cargo:rerun-if-changed=src/command_list.rs");
    // The page is compiled in, so another page is another program.
    println!("cargo:rerun-if-changed=../ui/dist");
    if !std::path::Path::new("../ui/dist/index.html").is_file() {
        println!("cargo:error=the page is not built yet; run `npm ci && npm run build` in ui first");
        std::process::exit(1);
    }
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest)) {
        println!("cargo:error={error:#}");
        std::process::exit(1);
    }
}

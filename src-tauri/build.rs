//! Makes a permission for each command, so that what no capability names cannot be called.

macro_rules! commands {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        const COMMANDS: &[&str] = &[$(stringify!($name)),*];
    };
}

include!("src/command_list.rs");

fn main() {
    println!("cargo:rerun-if-changed=src/command_list.rs");
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest)) {
        println!("cargo:error={error:#}");
        std::process::exit(1);
    }
}

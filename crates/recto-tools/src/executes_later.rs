//! Files that another program runs or obeys later, without asking again. Writing one of them is more than writing a text.

use crate::path_rules::{RelativePath, folded};

/// Folders in which everything is obeyed by some program.
#[rustfmt::skip]
const FOLDERS: [&str; 28] = [
    ".vscode", ".idea", ".cargo", ".claude", ".codex", ".cursor", ".gemini", ".continue", ".devcontainer", ".husky",
    ".githooks", ".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".teamcity", ".ci", "autostart",
    "launchagents", "launchdaemons", "cron.d", "init.d", ".ssh", ".hg", ".zed",
    ".windsurf", ".clinerules",
];

/// Names, compared without case.
#[rustfmt::skip]
const NAMES: [&str; 81] = [
    ".gitmodules", ".gitattributes", ".gitconfig", ".envrc", ".mcp.json", "mcp.json", "agents.md", "agent.md",
    "claude.md", "claude.local.md", "gemini.md", "copilot-instructions.md", ".bashrc", ".bash_profile",
    ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xinitrc", ".xsession", ".xprofile",
    "config.fish", ".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".emacs", ".tmux.conf", ".wgetrc", ".curlrc", ".netrc",
    ".pythonrc", ".gdbinit", "makefile", "gnumakefile", "justfile", ".justfile", "rakefile", "gemfile",
    "vagrantfile", "jenkinsfile", "dockerfile", "package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "build.rs",
    "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "conftest.py", "crontab", "authorized_keys",
    ".gitlab-ci.yml", ".travis.yml", "cmakelists.txt", ".pre-commit-config.yaml", "compose.yaml", "compose.yml",
    "containerfile", ".dir-locals.el", "flake.nix", ".bazelrc", "pom.xml", "rust-toolchain.toml", "rust-toolchain",
    ".windsurfrules", ".clinerules", ".hgrc", ".gitconfig.local",
];

/// The last part of a name, compared without case: scripts, programs, and descriptions of what is to be run.
#[rustfmt::skip]
const ENDINGS: [&str; 59] = [
    ".code-workspace", ".desktop", ".service", ".timer", ".socket", ".plist", ".gradle", ".gradle.kts", ".mk",
    ".cmake", ".sh", ".bash", ".zsh", ".fish", ".ksh", ".csh", ".command", ".bat", ".cmd", ".ps1", ".psm1", ".psd1",
    ".vbs", ".vbe", ".wsf", ".js", ".mjs", ".cjs", ".ts", ".py", ".pyw", ".pth", ".rb", ".pl", ".php", ".lua",
    ".tcl", ".awk", ".applescript", ".scpt", ".exe", ".com", ".dll", ".so", ".dylib", ".msi", ".scr", ".hta",
    ".reg", ".lnk", ".url", ".jar", ".el", ".vim", ".csproj", ".vcxproj", ".props", ".targets", ".gitconfig",
];

/// Beginnings of programs.
#[rustfmt::skip]
const PROGRAM_HEADS: [&[u8]; 9] = [
    b"#!", b"\xef\xbb\xbf#!", b"\x7fELF", b"MZ", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe",
];

/// Whether a file at this path with these bytes is run or obeyed later.
pub(crate) fn executes_later(path: &RelativePath, bytes: &[u8]) -> bool {
    let names: Vec<String> = path.names().iter().map(|name| folded(name)).collect();
    let Some((name, folders)) = names.split_last() else { return false };
    folders.iter().any(|folder| FOLDERS.contains(&folder.as_str()))
        || FOLDERS.contains(&name.as_str())
        || NAMES.contains(&name.as_str())
        || name.starts_with(".env")
        || name.starts_with(".cursor")
        || name.starts_with("dockerfile.")
        || name.starts_with("docker-compose.")
        || name.starts_with("azure-pipelines.")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || is_git_config(&names)
        || PROGRAM_HEADS.iter().any(|head| bytes.starts_with(head))
}

/// Git's own settings outside a repository, which name programs that git starts: `.config/git/config` and what is included from it.
fn is_git_config(names: &[String]) -> bool {
    names.iter().rev().nth(1).is_some_and(|folder| folder == "git")
        && names.last().is_some_and(|name| matches!(name.as_str(), "config" | "config.worktree" | "attributes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_flagged(path: &str, bytes: &[u8]) -> bool {
        executes_later(&RelativePath::read(path).expect("a path"), bytes)
    }

    #[test]
    fn permission_p6_files_that_execute_later_are_known_by_name() {
        for path in [
            ".gitmodules",
            "sub/.gitattributes",
            ".vscode/tasks.json",
            ".VSCode/settings.json",
            "a/.idea/x.xml",
            "my.code-workspace",
            ".envrc",
            ".env",
            ".env.local",
            "home/.bashrc",
            ".zshenv",
            ".profile",
            "x.desktop",
            ".config/autostart/a.conf",
            "a.service",
            "crontab",
            "Library/LaunchAgents/a.xml",
            "Makefile",
            "makefile",
            "MAKEFILE",
            "GNUmakefile",
            "justfile",
            "package.json",
            "Package.JSON",
            "build.rs",
            "Cargo.toml",
            ".cargo/config.toml",
            "pyproject.toml",
            "setup.py",
            "tests/conftest.py",
            "app/build.gradle",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            "Jenkinsfile",
            "AGENTS.md",
            "agents.md",
            "CLAUDE.md",
            ".cursorrules",
            ".cursor/rules/a.mdc",
            ".mcp.json",
            ".claude/settings.json",
            ".codex/config",
            "run.sh",
            "a.PS1",
            "b.bat",
            "s.py",
            "x.js",
            ".ssh/authorized_keys",
            ".hg/hgrc",
            "compose.yaml",
            "app/compose.yml",
            "Containerfile",
            ".dir-locals.el",
            "init.el",
            "plugin/x.vim",
            "flake.nix",
            ".bazelrc",
            "pom.xml",
            "App.csproj",
            "App.vcxproj",
            "Directory.Build.props",
            "Directory.Build.targets",
            "rust-toolchain.toml",
            ".windsurfrules",
            ".clinerules",
            ".clinerules/a.md",
            ".zed/tasks.json",
            ".gitconfig",
            "work.gitconfig",
            ".config/git/config",
            "ｐackage.json",
            "ma\u{212a}efile",
            ".env\u{131}x",
        ] {
            assert!(is_flagged(path, b"text"), "{path}");
        }
    }

    #[test]
    fn permission_p6_files_that_execute_later_are_known_by_their_first_bytes() {
        for bytes in [&b"#!/bin/sh\n"[..], b"\xef\xbb\xbf#!/bin/sh", b"\x7fELF\x02", b"MZ\x90", b"\xcf\xfa\xed\xfe"] {
            assert!(is_flagged("notes.txt", bytes), "{bytes:?}");
        }
    }

    #[test]
    fn the_lists_are_written_as_names_are_compared() {
        for name in FOLDERS.iter().chain(&NAMES).chain(&ENDINGS) {
            assert_eq!(folded(name), *name);
            assert!(!name.contains(char::is_whitespace), "{name}");
        }
    }

    #[test]
    fn ordinary_files_carry_no_flag() {
        for path in [
            "README.md",
            "notes/plan.md",
            "gauges.csv",
            "environment.md",
            "make.md",
            "packages.json",
            "github/x.md",
            "app/config",
            "compose.md",
            "潮位.txt",
        ] {
            assert!(!is_flagged(path, b"# a heading\n"), "{path}");
        }
    }
}

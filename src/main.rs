//! The `restride` command; everything is in [`restride::cli`].

fn main() -> std::process::ExitCode {
    restride::cli::main()
}

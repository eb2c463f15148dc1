//! The program `gainsay`.

fn main() -> std::process::ExitCode {
    gainsay::main()
}

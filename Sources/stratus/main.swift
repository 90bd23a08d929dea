// stratus: run a cloud, look after it, and sign this machine in to one.
//
// A thin program: each command reads its line, calls a library and prints. Commands/ holds one file for each, CommandLine/
// what they share. It never imports CloudKit: a server must not carry a client's networking.

import Foundation

let program = Program(
    commands: [.login, .logout, .whoami],
    version: "0.1.0", environment: ProcessInfo.processInfo.environment)
exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)

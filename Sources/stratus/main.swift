// stratus: run a cloud, look after it, and sign this machine in to one.
//
// A thin program: each command reads its line, calls a library and prints. Commands/ holds one file for each, CommandLine/
// what they share. It never imports CloudKit: a server must not carry a client's networking.

import Foundation

// What commands write is for its owner: data, credentials, backups.
umask(0o077)

let program = Program(
    commands: [
        .dev, .serve,
        .accountCreate, .accountList, .accountPassword, .accountDelete, .accountShow, .accountErase,
        .containerCreate, .containerList, .containerLog, .containerDelete,
        .tokenCreate, .tokenList, .tokenDelete,
        .schemaExport, .schemaImport, .schemaValidate, .schemaDiff, .schemaDeploy, .schemaReset,
        .roleGrant, .roleRevoke, .roleList,
        .keyCreate, .keyList, .keyDelete,
        .encryptionStatus, .encryptionRotate, .encryptionReset,
        .backup, .restore, .doctor,
        .login, .logout, .whoami,
    ],
    version: Version.current, environment: ProcessInfo.processInfo.environment)
exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)

// The same rows in GRDB, with its two kinds of records. What each round took is printed as JSON, as by ModelBenchmark.
//
//     GRDBBenchmark items|orders|users FOLDER COUNT ROUNDS codable|manual     saves so many new records
//     GRDBBenchmark fetch-items|fetch-orders FOLDER COUNT ROUNDS codable|manual    fetches all and reads every property

import Foundation
import GRDB

struct Misuse: Error {}

let words = Array(CommandLine.arguments.dropFirst())
do {
    guard words.count == 5, let count = Int(words[2]), let rounds = Int(words[3]) else { throw Misuse() }
    let run = RecordRounds(folder: URL(fileURLWithPath: words[1]), count: count, rounds: rounds)
    let measured: Rounds
    switch (words[0], words[4]) {
    case ("items", "codable"): measured = try run.save(CodableItem.init)
    case ("items", "manual"): measured = try run.save(ManualItem.init)
    case ("orders", "codable"): measured = try run.save(CodableOrder.init)
    case ("orders", "manual"): measured = try run.save(ManualOrder.init)
    case ("users", "codable"): measured = try run.save(CodableUser.init)
    case ("users", "manual"): measured = try run.save(ManualUser.init)
    case ("fetch-items", "codable"): measured = try run.fetch(CodableItem.init) { $0.sum }
    case ("fetch-items", "manual"): measured = try run.fetch(ManualItem.init) { $0.sum }
    case ("fetch-orders", "codable"): measured = try run.fetch(CodableOrder.init) { $0.sum }
    case ("fetch-orders", "manual"): measured = try run.fetch(ManualOrder.init) { $0.sum }
    default: throw Misuse()
    }
    print(String(decoding: try JSONEncoder().encode(measured), as: UTF8.self))
} catch {
    FileHandle.standardError.write(Data("GRDBBenchmark: \(error)\n".utf8))
    exit(1)
}

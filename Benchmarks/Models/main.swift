// The app of `./bench store`: model classes in a module of their own, through SwiftData's public API. What each round took is
// printed as JSON.
//
//     ModelBenchmark create FILE
//     ModelBenchmark items|orders|users|graph FOLDER COUNT ROUNDS        saves so many new objects
//     ModelBenchmark fetch-items|fetch-orders FILE ROUNDS                fetches all and reads every property
//     ModelBenchmark age-users|delete-users FOLDER COUNT ROUNDS                 changes, or deletes, all of them
//     ModelBenchmark history FOLDER COUNT ROUNDS on|off

import Foundation
import SwiftData

struct Misuse: Error {}

let words = Array(CommandLine.arguments.dropFirst())
do {
    guard words.count >= 2 else { throw Misuse() }
    let url = URL(fileURLWithPath: words[1])
    let numbers = words.dropFirst(2).compactMap { Int($0) }
    let measured: Rounds
    switch (words[0], numbers.count) {
    case ("create", 0): measured = try Saving.create(url)
    case ("items", 2): measured = try Saving.measure(url, numbers[0], rounds: numbers[1], Saving.items)
    case ("orders", 2): measured = try Saving.measure(url, numbers[0], rounds: numbers[1], Saving.orders)
    case ("users", 2): measured = try Saving.measure(url, numbers[0], rounds: numbers[1], Saving.users)
    case ("graph", 2): measured = try Saving.measure(url, numbers[0], rounds: numbers[1], Saving.graph)
    case ("age-users", 2): measured = try Changing.measure(url, numbers[0], rounds: numbers[1], Changing.age)
    case ("delete-users", 2): measured = try Changing.measure(url, numbers[0], rounds: numbers[1], Changing.delete)
    case ("fetch-items", 1):
        measured = try Fetching.measure(url, rounds: numbers[0]) { (item: Item) in item.sum }
    case ("fetch-orders", 1):
        measured = try Fetching.measure(url, rounds: numbers[0]) { (order: Order) in order.sum }
    case ("history", 2):
        measured = try HistoryCost.measure(url, numbers[0], rounds: numbers[1], isTracked: words.last == "on")
    default: throw Misuse()
    }
    print(String(decoding: try JSONEncoder().encode(measured), as: UTF8.self))
} catch {
    FileHandle.standardError.write(Data("ModelBenchmark: \(error)\n".utf8))
    exit(1)
}

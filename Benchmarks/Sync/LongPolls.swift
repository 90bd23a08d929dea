import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// From a request to the answers of others that wait: the same client and the same number of devices, and nothing else.
struct LongPolls {
    let root: String
    let rounds: Rounds

    init(_ words: ArraySlice<String>) throws {
        guard words.count > 1 else { throw Misuse() }
        root = words[words.startIndex + 1]
        rounds = try Rounds(words.dropFirst(2))
    }

    func measure() async throws -> [String: Double] {
        guard let wait = URL(string: root + "/wait"), let tell = URL(string: root + "/tell") else { throw Misuse() }
        // Each device has sessions of its own.
        let sessions = (0..<rounds.devices).map { _ in URLSession(configuration: .ephemeral) }
        let teller = URLSession(configuration: .ephemeral)
        let arrivals = Arrivals()
        var times: [Double] = []
        var failures = 0
        for number in 0..<rounds.count + 3 {
            arrivals.expect("\(number)", count: rounds.devices)
            for session in sessions {
                session.dataTask(with: wait) { data, _, _ in
                    if data?.isEmpty == false { arrivals.add("\(number)") }
                }.resume()
            }
            // Until all wait.
            try await Task.sleep(for: .seconds(max(0.05, rounds.pause)))
            let start = now()
            let task = teller.dataTask(with: tell) { _, _, _ in }
            task.resume()
            do {
                let round = try await arrivals.all(within: 5).map { $0 - start }
                if number >= 3 { times += round }
            } catch is Arrivals.Missing where failures < 20 {
                // On a busy machine one has come too late to wait; the next round tells it.
                failures += 1
            }
        }
        return summary(times)
    }
}

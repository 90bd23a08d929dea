import Dispatch
import FieldNotesCloud
import FieldNotesModel
import Foundation

/// `sync --watch`: exchanges notes as they change, until Control-C.
@Sendable func watch(_ store: NoteStore) async throws {
    let live = LiveSync(store)
    let signals = StopSignals { Task { await live.stop() } }
    defer { signals.cancel() }
    try await live.start()
    var isFirst = true
    for try await event in live.events {
        switch event {
        case .upToDate where isFirst:
            isFirst = false
            say("Watching \(counted(try await store.notes().count, "note")). Control-C ends it.")
        case .upToDate: break
        case .offline:
            say(
                "The cloud cannot be reached; \(counted(try await store.pendingCount, "change")) will be sent when it can."
            )
        case .received(let note): say("Received \(summary(note))")
        case .merged(let note): say("Merged   \(summary(note))")
        case .removed(let note): say("Removed  \(summary(note))")
        case .sent(let note): say("Sent     \(summary(note))")
        case .deleted(let note): say("Deleted  \(summary(note))")
        case .signedOut: say("Nobody is signed in any more. Edits wait here; sign in again to go on.")
        case .refused(let note, let error): say("The cloud does not take \(summary(note)): \(describe(error))")
        }
    }
    let waiting = try await store.pendingCount
    say(
        waiting == 0
            ? "Stopped. The cloud has everything." : "Stopped. \(counted(waiting, "change")) will be sent next time.")
}

/// At once, also into a pipe.
private func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Control-C, and what a system sends to whom it wants to end.
// Unchecked: the sources are only ever cancelled, which any thread may do.
private final class StopSignals: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: stop)
            source.resume()
            return source
        }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}

import Synchronization

/// The engines of this process, by their delegates.
///
/// An app may make its engine anew at any time, with the newest state that it was handed. That state comes in an event a
/// moment after a change was added; an engine made in that moment would know nothing of the change, and the app could not
/// know that it was lost. So it goes on with the state of the engine before it, which may be in the middle of a send. An app
/// that starts over, with no state or an older one than it was handed, gets what it asked for: an engine without a past.
///
/// (Apple documents no such thing. Its sample app makes an engine twice in this way when it is used at once after launch.)
enum LivingEngines {
    private struct Entry {
        weak var engine: CKSyncEngine?
    }

    private static let engines = Mutex<[ObjectIdentifier: [Entry]]>([:])

    static func add(_ engine: CKSyncEngine, of delegate: any CKSyncEngineDelegate) {
        engines.withLock { engines in
            // A delegate that is gone leaves no living engine behind.
            if engines.count >= 64 {
                engines = engines.mapValues { $0.filter { $0.engine != nil } }.filter { !$0.value.isEmpty }
            }
            let id = ObjectIdentifier(delegate)
            engines[id] = (engines[id] ?? []).filter { $0.engine != nil } + [Entry(engine: engine)]
        }
    }

    /// The delegate's engine for the same database, when it has handed out nothing newer than the configuration has.
    static func engine(succeededBy configuration: CKSyncEngine.Configuration) -> CKSyncEngine? {
        let living = engines.withLock { engines in
            (engines[ObjectIdentifier(configuration.delegate)] ?? []).compactMap(\.engine)
        }
        return living.last { engine in
            engine.database.core === configuration.database.core
                && engine.database.databaseScope == configuration.database.databaseScope
                && engine.state.read { $0.newest === configuration.stateSerialization?.identity }
        }
    }
}

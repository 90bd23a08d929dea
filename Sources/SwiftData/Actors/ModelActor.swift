/// An actor with a context of its own.
public protocol ModelActor: Actor {
    nonisolated var modelContainer: ModelContainer { get }
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // An actor needs an executor that runs one job at a time; for one that promises no such thing, the main actor's does.
        (modelExecutor as? any SerialExecutor)?.asUnownedSerialExecutor() ?? MainActor.sharedUnownedExecutor
    }

    /// The context of the actor's executor.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// The object of an identifier; nil when there is none, or when it is of another class.
    public subscript<T>(id: PersistentIdentifier, as type: T.Type) -> T? where T: PersistentModel {
        modelContext.core.existingModel(for: id) as? T
    }
}

/// Runs the work of an actor with a context.
public protocol ModelExecutor: Executor {
    var modelContext: ModelContext { get }
}

public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

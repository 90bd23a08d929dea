import PersistentStore
import Synchronization

extension ModelContainer {
    /// Posted with the container when a store that an observer follows was changed, by whatever context or process.
    public static let remoteChange = Notification.Name("SwiftDataModelContainerRemoteChange")
}

/// Counts the saves that concern somebody: of some models, by some authors.
public final class HistoryObserver: Observable, Sendable {
    public let modelContainer: ModelContainer
    /// Whose objects count; none: all.
    public let observedModels: [any PersistentModel.Type]
    /// Whose saves count; none: everybody's.
    public let authors: Set<String>
    private let registrar = ObservationRegistrar()
    private let count = Atomic(0)
    private let observations = Mutex<[CommitObservation]>([])

    /// Follows the stores of a container.
    ///
    /// - Parameters:
    ///   - historyTokens: by store identifier, from where on what happened before counts; nil: from now on.
    ///   - observedModels: whose objects count; none: all.
    ///   - authors: whose saves count; none: everybody's.
    /// - Throws: `historyTokenExpired` when changes after a token were deleted from the history.
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
        authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(historyTokens, observedModels, authors, modelContainer)
    }

    private init(
        _ tokens: [String: any HistoryToken]?, _ observedModels: [any PersistentModel.Type], _ authors: Set<String>,
        _ container: ModelContainer
    ) throws {
        modelContainer = container
        self.observedModels = observedModels
        self.authors = authors
        let models = Set(observedModels.map { ModelDescription.of($0).name })
        for binding in container.bindings {
            if let token = tokens?[binding.identifier] as? DefaultHistoryToken {
                let missed = try StoreHistory(binding: binding).transactions(after: token).contains { transaction in
                    (authors.isEmpty || authors.contains(transaction.author ?? ""))
                        && transaction.changes.contains {
                            models.isEmpty || models.contains($0.changedPersistentIdentifier.entityName)
                        }
                }
                if missed { count.store(1, ordering: .relaxed) }
            }
            let observation = binding.store.observeCommits { [weak self, weak container] commit in
                NotificationCenter.default.post(
                    name: ModelContainer.remoteChange, object: container, userInfo: ["storeUUID": binding.identifier])
                guard authors.isEmpty || authors.contains(commit.author ?? "") else { return }
                let changed = [commit.inserted, commit.updated, commit.deleted].joined()
                guard
                    models.isEmpty
                        || changed.contains(where: { models.contains(binding.entity($0.entity)?.name ?? "") })
                else { return }
                self?.happened()
            }
            observations.withLock { $0.append(observation) }
        }
    }

    /// How many saves that concern the observer there were.
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return count.load(ordering: .acquiring)
    }

    private func happened() {
        registrar.withMutation(of: self, keyPath: \.eventCounter) {
            _ = count.add(1, ordering: .acquiringAndReleasing)
        }
    }
}

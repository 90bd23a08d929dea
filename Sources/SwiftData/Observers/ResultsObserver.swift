import PersistentStore
import Synchronization

/// The results of a fetch that follow what the context and everybody else change; observed like any `@Observable` object.
///
/// A change, saved by any context or process or still pending in this context, is told at once; the fetch itself is made when
/// the results are read next, wherever they are read. So it needs no run loop and no UI.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
    CustomDebugStringConvertible
{
    public let modelContext: ModelContext
    private let registrar = ObservationRegistrar()
    private let staleness = Staleness()
    private var descriptor: FetchDescriptor<Element>
    private let title: ((Element) -> SectionTitle)?
    private var sectionKeyPath: PartialKeyPath<Element>?
    private var fetched: FetchResultsCollection<Element>
    private var grouped: SectionedResults<Element, SectionTitle>?
    private var observations: [CommitObservation] = []
    private var contextObservation: Int?
    /// Why the last fetch failed; its results are the ones before it.
    public private(set) var fetchError: (any Error)?

    init(
        _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, section: PartialKeyPath<Element>?,
        title: ((Element) -> SectionTitle)?
    ) throws {
        modelContext = context
        self.descriptor = descriptor
        sectionKeyPath = section
        self.title = title
        fetched = FetchResultsCollection(try context.fetch(descriptor))
        group()
        // Called on whatever thread commits: it touches nothing of the observer but the registrar and the flag.
        nonisolated(unsafe) let changed: () -> Void = { [weak self] in self?.changed() }
        contextObservation = context.core.observeChanges(changed)
        let origin = context.core.editingIdentifier
        for binding in context.container.bindings {
            observations.append(
                binding.store.observeCommits { commit in
                    // What this context saves was told when it was changed.
                    if commit.origin != origin { changed() }
                })
        }
    }

    deinit {
        if let contextObservation { modelContext.core.endObserving(contextObservation) }
    }

    /// What the fetch finds now.
    public var results: FetchResultsCollection<Element> {
        registrar.access(self, keyPath: \.results)
        refresh()
        return fetched
    }

    /// The results by section, when there are any.
    public var sections: SectionedResults<Element, SectionTitle>? {
        registrar.access(self, keyPath: \.sections)
        refresh()
        return grouped
    }

    public var fetchDescriptor: FetchDescriptor<Element> {
        get { descriptor }
        set {
            descriptor = newValue
            changed()
        }
    }

    public var filterBy: Predicate<Element>? {
        get { descriptor.predicate }
        set { fetchDescriptor.predicate = newValue }
    }

    public var sortBy: [SortDescriptor<Element>] {
        get { descriptor.sortBy }
        set { fetchDescriptor.sortBy = newValue }
    }

    /// What the sections go by.
    public var sectionBy: PartialKeyPath<Element>? { sectionKeyPath }

    /// The element at a position of the results, or of a section and its elements; nil outside.
    public func element(at indexPath: IndexPath) -> Element? {
        let results = results
        switch (indexPath.count, grouped) {
        case (1, _): return results.indices.contains(indexPath[0]) ? results[indexPath[0]] : nil
        case (2, nil):
            return indexPath[0] == 0 && results.indices.contains(indexPath[1]) ? results[indexPath[1]] : nil
        case (2, let sections?):
            guard sections.indices.contains(indexPath[0]), sections[indexPath[0]].indices.contains(indexPath[1]) else {
                return nil
            }
            return sections[indexPath[0]][indexPath[1]]
        default: return nil
        }
    }

    /// Where an element is, by section and position; section 0 where there are none.
    public func indexPath(for element: Element) -> IndexPath? {
        let results = results
        guard let grouped else {
            return results.firstIndex { $0 === element }.map { IndexPath(indexes: [0, $0]) }
        }
        for (number, section) in grouped.enumerated() {
            if let position = section.firstIndex(where: { $0 === element }) {
                return IndexPath(indexes: [number, position])
            }
        }
        return nil
    }

    public var debugDescription: String {
        "ResultsObserver of \(Element.self): \(results.count) results"
            + (sections.map { ", \($0.count) sections" } ?? "")
    }

    // MARK: - Following

    /// Tells observers, once until the results are read.
    private func changed() {
        guard staleness.set() else { return }
        registrar.willSet(self, keyPath: \.results)
        registrar.willSet(self, keyPath: \.sections)
        registrar.didSet(self, keyPath: \.results)
        registrar.didSet(self, keyPath: \.sections)
    }

    private func refresh() {
        guard staleness.take() else { return }
        do {
            fetched = FetchResultsCollection(try modelContext.fetch(descriptor))
            fetchError = nil
            group()
        } catch {
            fetchError = error
        }
    }

    private func group() {
        grouped = title.map { SectionedResults(Array(fetched), title: $0) }
    }
}

/// Whether results are older than what they were fetched from.
private final class Staleness: Sendable {
    private let isStale = Atomic(false)

    /// False when it was so already.
    func set() -> Bool { !isStale.exchange(true, ordering: .acquiringAndReleasing) }
    func take() -> Bool { isStale.exchange(false, ordering: .acquiringAndReleasing) }
}

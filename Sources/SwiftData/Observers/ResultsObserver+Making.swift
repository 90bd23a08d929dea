// The ways to make an observer: of a descriptor or of a condition and an order, with a title for sections or without, in a
// context or in one of its own.

extension ResultsObserver where SectionTitle == Never {

    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, modelContext, section: nil, title: nil)
    }

    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, ModelContext(modelContainer), section: nil, title: nil)
    }

    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, section: nil, title: nil)
    }

    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), section: nil,
            title: nil)
    }
}

extension ResultsObserver where SectionTitle == String {
    // Sections come in the order in which their first elements do.

    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, modelContext, section: sectionBy) { $0[keyPath: sectionBy] }
    }

    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, ModelContext(modelContainer), section: sectionBy) { $0[keyPath: sectionBy] }
    }

    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, section: sectionBy) {
            $0[keyPath: sectionBy]
        }
    }

    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), section: sectionBy
        ) { $0[keyPath: sectionBy] }
    }
}

extension ResultsObserver where SectionTitle == String? {
    // Sections come in the order in which their first elements do.

    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, modelContext, section: sectionBy) { $0[keyPath: sectionBy] }
    }

    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, ModelContext(modelContainer), section: sectionBy) { $0[keyPath: sectionBy] }
    }

    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, section: sectionBy) {
            $0[keyPath: sectionBy]
        }
    }

    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), section: sectionBy
        ) { $0[keyPath: sectionBy] }
    }
}

/// Results by section, in the order in which the sections' first elements come.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Equatable {
    private var sections: [ResultsSection<Element, SectionTitle>] = []
    private var positions: [SectionTitle: Int] = [:]

    init(_ elements: [Element], title: (Element) -> SectionTitle) {
        for element in elements {
            let title = title(element)
            if let position = positions[title] {
                sections[position].elements.append(element)
            } else {
                positions[title] = sections.count
                sections.append(ResultsSection(title: title, elements: [element]))
            }
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { sections.count }
    public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

    // MARK: - By title

    public var sectionTitles: [SectionTitle] { sections.map(\.title) }

    public func contains(sectionTitle: SectionTitle) -> Bool { positions[sectionTitle] != nil }

    public func index(ofSectionTitled sectionTitle: SectionTitle) -> Int? { positions[sectionTitle] }

    /// The section of a title, when there is one.
    public subscript(sectionTitle sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
        positions[sectionTitle].map { sections[$0] }
    }
}

/// The results that share a title.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
    RandomAccessCollection, Identifiable, Equatable
{
    public let title: SectionTitle
    fileprivate(set) var elements: [Element]

    public var id: SectionTitle { title }
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }
    public subscript(position: Int) -> Element { elements[position] }
}

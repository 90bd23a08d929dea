/// Results by section, in the order in which the sections' first elements come.
public struct SectionedResults<Element, SectionTitle: Hashable>: RandomAccessCollection {
    public struct Section: RandomAccessCollection, Identifiable {
        public let title: SectionTitle
        fileprivate(set) var elements: [Element]

        public var id: SectionTitle { title }
        public var startIndex: Int { 0 }
        public var endIndex: Int { elements.count }
        public subscript(position: Int) -> Element { elements[position] }
    }

    private var sections: [Section] = []

    init(_ elements: [Element], title: (Element) -> SectionTitle) {
        var positions: [SectionTitle: Int] = [:]
        for element in elements {
            let title = title(element)
            if let position = positions[title] {
                sections[position].elements.append(element)
            } else {
                positions[title] = sections.count
                sections.append(Section(title: title, elements: [element]))
            }
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { sections.count }
    public subscript(position: Int) -> Section { sections[position] }
}

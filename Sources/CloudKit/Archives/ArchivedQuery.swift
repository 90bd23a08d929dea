import Foundation

/// A query as an archive holds it. Predicates and sort descriptors cannot be archived on these platforms, so the text of
/// each is.
struct ArchivedQuery {
    var recordType: String
    var predicate: NSPredicate
    var sortDescriptors: [NSSortDescriptor]?

    // No public archive shows the keys of a query; these follow the manner of the other classes.
    private enum Key {
        static let recordType = "RecordType"
        static let predicate = "Predicate"
        static let sortDescriptors = "SortDescriptors"
    }

    init(recordType: String, predicate: NSPredicate, sortDescriptors: [NSSortDescriptor]?) {
        self.recordType = recordType
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
    }

    init?(from coder: NSCoder) {
        let recordType = ArchiveReader.read(coder) { $0.string(Key.recordType) }
        guard let recordType else { return nil }
        self.init(recordType: recordType, predicate: NSPredicate(value: true), sortDescriptors: nil)
    }

    func encode(with coder: NSCoder) {
        coder.encode(recordType as Any?, forKey: Key.recordType)
    }
}

import CoreLocation
import Foundation
import PredicateFormat

/// A query as an archive holds it. Predicates and sort descriptors cannot be archived on these platforms, so the text of
/// each is.
///
/// What has no text, such as a predicate made of a block, is left out, and the archive then fails to be read: that a
/// query can no longer be what it was shows there, where an error can be returned.
struct ArchivedQuery {
    var recordType: String
    var predicate: NSPredicate
    var sortDescriptors: [NSSortDescriptor]?

    // No public archive shows the keys of a query; these are ours, so that no device takes them for its own.
    private enum Key {
        static let recordType = "RecordType"
        static let format = "PredicateFormat"
        static let arguments = "PredicateArguments"
        /// A list of key, direction and, for an order by distance, place.
        static let sortKeys = "SortKeys"
        /// Whether the query had a list of descriptors, and all of them are in `sortKeys`.
        static let isSorted = "IsSorted"
    }

    init(recordType: String, predicate: NSPredicate, sortDescriptors: [NSSortDescriptor]?) {
        self.recordType = recordType
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
    }

    // MARK: Writing

    func encode(with coder: NSCoder) {
        coder.encode(recordType as Any?, forKey: Key.recordType)
        if let text = predicate.syntax?.formatAndArguments, let arguments = Self.archivable(text.arguments) {
            coder.encode(text.format as Any?, forKey: Key.format)
            coder.encode(arguments as Any?, forKey: Key.arguments)
        }
        coder.encode(sortDescriptors != nil, forKey: Key.isSorted)
        if let sortKeys = sortDescriptors.flatMap(Self.archivable) {
            coder.encode(sortKeys as Any?, forKey: Key.sortKeys)
        }
    }

    private static func archivable(_ arguments: [Any]) -> NSArray? {
        var objects: [NSObject] = []
        for argument in arguments {
            if let value = RecordValue(argument) {
                objects.append(value.archivedObject)
            } else if let object = argument as? NSObject, object is any NSSecureCoding {
                objects.append(object)
            } else {
                return nil
            }
        }
        return NSArray(array: objects)
    }

    private static func archivable(_ descriptors: [NSSortDescriptor]) -> NSArray? {
        var list: [NSArray] = []
        for descriptor in descriptors {
            guard let key = descriptor.key else { return nil }
            var parts: [Any] = [NSString(string: key), NSNumber(value: descriptor.ascending)]
            if let place = (descriptor as? CKLocationSortDescriptor)?.relativeLocation { parts.append(place) }
            list.append(NSArray(array: parts))
        }
        return NSArray(array: list)
    }

    // MARK: Reading

    init?(from coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> ArchivedQuery? in
            guard let recordType = archive.string(Key.recordType), let format = archive.string(Key.format),
                let arguments = archive.object(NSArray.self, Key.arguments),
                let syntax = try? ParsedPredicate.parse(format: format, arguments: arguments.map { $0 })
            else { return nil }
            var descriptors: [NSSortDescriptor]?
            if archive.bool(Key.isSorted) {
                guard let list = archive.object(NSArray.self, Key.sortKeys) else { return nil }
                descriptors = list.compactMap { Self.descriptor($0) }
                guard descriptors?.count == list.count else { return nil }
            }
            return ArchivedQuery(
                recordType: recordType, predicate: NSPredicate(syntax: syntax), sortDescriptors: descriptors)
        }
        guard let decoded else { return nil }
        self = decoded
    }

    private static func descriptor(_ archived: Any) -> NSSortDescriptor? {
        guard let parts = archived as? [Any], parts.count >= 2, let key = parts[0] as? String,
            let ascending = parts[1] as? Bool
        else { return nil }
        if parts.count > 2 {
            guard let place = parts[2] as? CLLocation else { return nil }
            return CKLocationSortDescriptor(key: key, relativeLocation: place)
        }
        return NSSortDescriptor(key: key, ascending: ascending)
    }
}

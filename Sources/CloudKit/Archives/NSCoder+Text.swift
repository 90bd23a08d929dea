import Foundation

extension NSCoder {
    func encodeText(_ text: String?, forKey key: String) {
        encode(text.map { NSString(string: $0) }, forKey: key)
    }

    /// nil for an archive that has nothing under the key: reading that is an error which spoils the whole archive.
    func decodeText(forKey key: String) -> String? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
    }
}

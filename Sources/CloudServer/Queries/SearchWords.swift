import Foundation
import WebServices

/// The words of a text as full-text search compares them: whole words, whatever their case and diacritics.
/// [Apple: CKQuery, "tokenized"]
///
/// A word is a run of letters, digits and marks. Scripts without spaces between words have one for each ideograph or kana, so
/// that a text is found by any of them.
enum SearchWords {
    /// Distinct words of one field of a record that get an entry each. A field with more has one that says so, and is looked
    /// at by every search: an index of long texts would cost their writers more than it saves their readers.
    static let maximumEntries = 50
    /// No word.
    static let manyWords: [UInt8] = [0]

    /// What a field is indexed by that has these words. Stored: changing it takes building the indexes again.
    static func entries(_ words: Set<String>) -> [[UInt8]] {
        words.count > maximumEntries ? [manyWords] : Array(Set(words.map(entry)))
    }

    /// Longer ones are cut, since they are seldom words: records that an entry leads to are looked at anyhow.
    private static let maximumLength = 32

    static func entry(_ word: String) -> [UInt8] { Array(word.utf8.prefix(maximumLength)) }

    /// The words of a text, or of all texts of a list; none of other values.
    static func words(of value: FieldValue) -> Set<String> {
        switch value {
        case .string(let text): return words(of: text)
        case .list(let elements, of: .string):
            return elements.reduce(into: []) { words, element in
                if case .string(let text) = element { words.formUnion(self.words(of: text)) }
            }
        default: return []
        }
    }

    static func words(of text: String) -> Set<String> {
        var words: Set<String> = []
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            var word: [UInt8] = []
            for byte in text.utf8 {
                if byte.isASCIILetter {
                    word.append(byte | 0x20)
                } else if byte.isASCIIDigit {
                    word.append(byte)
                } else if !word.isEmpty {
                    words.insert(String(decoding: word, as: UTF8.self))
                    word.removeAll(keepingCapacity: true)
                }
            }
            if !word.isEmpty { words.insert(String(decoding: word, as: UTF8.self)) }
            return words
        }
        var word = ""
        func end() {
            if !word.isEmpty { words.insert(word) }
            word = ""
        }
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        for scalar in folded.unicodeScalars {
            if isWholeWord(scalar) {
                end()
                words.insert(String(scalar))
            } else if isPartOfWord(scalar) {
                word.unicodeScalars.append(scalar)
            } else {
                end()
            }
        }
        end()
        return words
    }

    private static func isWholeWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isIdeographic || (0x3041...0x30FF).contains(scalar.value)
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}

import Foundation

/// The words of a text as full-text search compares them: whole words, whatever their case and diacritics.
/// [Apple: CKQuery, "tokenized"]
///
/// A word is a run of letters, digits and marks. Scripts without spaces between words have one for each ideograph or kana, so
/// that a text is found by any of them.
enum SearchWords {
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

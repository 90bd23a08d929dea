import CloudKit
import Testing

/// An app's code as it is written for Apple's platforms: every form in which a value goes into a record and comes out.
@Suite("Values of a record")
struct RecordValueTests {
    let record = CKRecord(recordType: "Note")

    @Test("An untyped value casts to the type that was set")
    func untypedCasts() {
        record["text"] = "words"
        record["count"] = 5
        record["ratio"] = 2.5
        record["flag"] = true
        record["date"] = Date(timeIntervalSinceReferenceDate: 100)
        record["data"] = Data([1, 2])
        #expect(record["text"] as? String == "words")
        #expect(record["count"] as? Int == 5)
        #expect(record["ratio"] as? Double == 2.5)
        #expect(record["flag"] as? Bool == true)
        #expect(record["date"] as? Date == Date(timeIntervalSinceReferenceDate: 100))
        #expect(record["data"] as? Data == Data([1, 2]))
        #expect(record["text"] as? Int == nil)
        #expect(record["ratio"] as? Int == nil)
    }

    @Test("A number casts to every number type that holds it")
    func numberCasts() {
        record["count"] = Int64(7)
        #expect(record["count"] as? Int == 7)
        #expect(record["count"] as? Int64 == 7)
        #expect(record["count"] as? Int32 == 7)
        #expect(record["count"] as? UInt8 == 7)
        #expect(record["count"] as? Double == 7)
        #expect(record["count"] as? Float == 7)
        #expect((record["count"] as? NSNumber)?.intValue == 7)
        record["count"] = 300
        #expect(record["count"] as? UInt8 == nil)
    }

    @Test("A typed subscript gives the value as the type that is asked for")
    func typedSubscript() {
        record["count"] = 5
        record["text"] = "words"
        record["scores"] = [1, 2, 3]
        let count: Int? = record["count"]
        let wide: Int64? = record["count"]
        let text: String? = record["text"]
        let scores: [Int]? = record["scores"]
        let reals: [Double]? = record["scores"]
        let wrong: Date? = record["count"]
        let absent: String? = record["absent"]
        #expect(count == 5)
        #expect(wide == 5)
        #expect(text == "words")
        #expect(scores == [1, 2, 3])
        #expect(reals == [1, 2, 3])
        #expect(wrong == nil)
        #expect(absent == nil)
        let untyped: (any CKRecordValueProtocol)? = record["text"]
        #expect(untyped as? String == "words")
    }

    @Test("Swift's and Foundation's spellings of one value are one value")
    func bridgedSpellings() {
        record["a"] = "words" as any CKRecordValue
        record["b"] = NSString(string: "words")
        record["c"] = "words" as NSString
        record["d"] = Date(timeIntervalSinceReferenceDate: 1) as NSDate
        record["e"] = NSNumber(value: 3)
        record["f"] = ["x", "y"] as any CKRecordValue
        record["g"] = ["x", "y"] as NSArray
        record["h"] = 3 as NSNumber
        record["i"] = Date() as any CKRecordValue
        for key in ["a", "b", "c"] {
            #expect(record[key] as? String == "words")
            #expect(record[key] as? NSString == "words")
        }
        #expect(record["d"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
        #expect(record["d"] as? NSDate != nil)
        #expect(record["e"] as? Int == 3)
        #expect(record["f"] as? [String] == ["x", "y"])
        #expect(record["g"] as? [String] == ["x", "y"])
        #expect(record["f"] as? NSArray == ["x", "y"])
        #expect(record["h"] as? Int == 3)
    }

    @Test("Optional values are set as they are, and nil removes")
    func optionals() {
        let title: String? = "words"
        let nothing: String? = nil
        record["title"] = title
        #expect(record["title"] as? String == "words")
        record["title"] = nothing
        #expect(record["title"] == nil)
        record["title"] = "again"
        record["title"] = nil
        #expect(record["title"] == nil)
        #expect(record.allKeys().isEmpty)
    }

    @Test("Lists come back with their elements in order", arguments: [[], ["a"], ["b", "a", "b"]])
    func lists(texts: [String]) {
        record["tags"] = texts
        #expect(record["tags"] as? [String] == texts)
        let typed: [String]? = record["tags"]
        #expect(typed == texts)
    }

    @Test("Lists of every kind of element can be held")
    func listsOfEverything() {
        let reference = CKRecord.Reference(recordID: CKRecord.ID(recordName: "r"), action: .none)
        let place = CLLocation(latitude: 1, longitude: 2)
        record["dates"] = [Date(timeIntervalSinceReferenceDate: 1)]
        record["blobs"] = [Data([1])]
        record["references"] = [reference]
        record["places"] = [place]
        record["assets"] = [CKAsset(fileURL: URL(fileURLWithPath: "/nowhere"))]
        record["numbers"] = [1.5, 2] as [Double]
        #expect(record["dates"] as? [Date] == [Date(timeIntervalSinceReferenceDate: 1)])
        #expect(record["blobs"] as? [Data] == [Data([1])])
        #expect(record["references"] as? [CKRecord.Reference] == [reference])
        #expect((record["places"] as? [CLLocation])?.first?.coordinate.longitude == 2)
        #expect((record["assets"] as? [CKAsset])?.count == 1)
        #expect(record["numbers"] as? [Double] == [1.5, 2])
    }

    @Test("References, assets and locations come back as they were set")
    func objects() {
        let reference = CKRecord.Reference(recordID: CKRecord.ID(recordName: "r"), action: .deleteSelf)
        let asset = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere"))
        let place = CLLocation(latitude: 1, longitude: 2)
        record["folder"] = reference
        record["image"] = asset
        record["place"] = place
        #expect((record["folder"] as? CKRecord.Reference)?.recordID.recordName == "r")
        #expect(record["image"] as? CKAsset === asset)
        #expect((record["place"] as? CLLocation)?.coordinate.latitude == 1)
        let typed: CKAsset? = record["image"]
        #expect(typed?.fileURL?.path == "/nowhere")
    }

    @Test("Any value that may be one is found to be one, and others are not")
    func conditionalCast() {
        let values: [(Any, Bool)] = [
            ("text", true), (5, true), (Date(), true), (Data(), true), (2.5 as Float, true), (["a"], true),
            (UUID(), false), (URL(fileURLWithPath: "/"), false), (["a": 1], false),
        ]
        for (value, expected) in values { #expect((value is any CKRecordValue) == expected, "\(value)") }
    }

    @Test("Objective-C's spellings work")
    func oldSpellings() {
        record.setObject("words" as NSString, forKey: "a")
        record.setValue("words", forKey: "b")
        record.setValue(nil, forKey: "c")
        #expect(record.object(forKey: "a") as? String == "words")
        #expect(record.value(forKey: "b") as? String == "words")
        #expect(record.allKeys() == ["a", "b"])
        record.setValuesForKeys(["a": NSNull(), "d": 4])
        #expect(record.allKeys() == ["b", "d"])
        let values = record.dictionaryWithValues(forKeys: ["d", "e"])
        #expect(values["d"] as? Int == 4 && values["e"] is NSNull)
    }

    @Test("A record is iterated over as its keys and values")
    func iteration() {
        record["b"] = 2
        record["a"] = "x"
        var seen: [String] = []
        for (key, value) in record { seen.append("\(key)=\(value)") }
        #expect(seen == ["a=x", "b=2"])
    }

    @Test("A large unsigned number keeps its bits")
    func unsigned() {
        record["hash"] = UInt64.max
        #expect(record["hash"] as? Int64 == -1)
    }
}

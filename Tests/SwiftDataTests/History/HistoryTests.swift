import Behaviours
import Foundation
import SwiftData
import Testing

@Model
final class Account {
    @Attribute(.unique, .preserveValueOnDeletion) var number: Int
    @Attribute(.preserveValueOnDeletion) var owner: String
    var balance = 0

    init(number: Int, owner: String) {
        self.number = number
        self.owner = owner
    }
}

@Suite("The history of a store")
struct HistoryTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try .inMemory(Account.self)
        context = ModelContext(container)
    }

    private func history(_ predicate: Predicate<DefaultHistoryTransaction>? = nil) throws -> [DefaultHistoryTransaction]
    {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
    }

    @Test(
        "Each save is a transaction with what it inserted, updated and deleted, and by whom",
        .behaviour("swiftdata.history"))
    func changes() throws {
        context.author = "app"
        let account = Account(number: 1, owner: "Anna")
        context.insert(account)
        try context.save()
        let id = account.persistentModelID
        account.balance = 5
        try context.save()
        context.author = "cleaner"
        context.delete(account)
        try context.save()

        let transactions = try history()
        #expect(transactions.map(\.author) == ["app", "app", "cleaner"])
        #expect(transactions.map(\.changes.count) == [1, 1, 1])
        #expect(transactions.allSatisfy { $0.changes.allSatisfy { $0.changedPersistentIdentifier == id } })
        #expect(Set(transactions.map(\.storeIdentifier)).count == 1)
        guard case .insert(let insert) = transactions[0].changes[0] else { throw Unexpected() }
        #expect(insert is DefaultHistoryInsert<Account>)
        guard case .update(let update) = transactions[1].changes[0] else { throw Unexpected() }
        let updated = try #require(update as? DefaultHistoryUpdate<Account>)
        #expect(updated.updatedAttributes.map { $0 as PartialKeyPath<Account> } == [\Account.balance])
        guard case .delete(let delete) = transactions[2].changes[0] else { throw Unexpected() }
        let deleted = try #require(delete as? DefaultHistoryDelete<Account>)
        #expect(deleted.tombstone[\.number] as? Int == 1)
        #expect(deleted.tombstone[\.owner] as? String == "Anna")
        #expect(deleted.tombstone[\.balance] == nil)
        #expect(Array(deleted.tombstone).count == 2)
    }

    @Test(
        "Conditions on token and author choose transactions; tokens compare, and survive being encoded",
        .behaviour("swiftdata.history-conditions"))
    func conditions() throws {
        for number in 0..<6 {
            context.author = number % 2 == 0 ? "even" : "odd"
            context.insert(Account(number: number, owner: "x"))
            try context.save()
        }
        let all = try history()
        #expect(all.count == 6)
        let token = try JSONDecoder().decode(
            DefaultHistoryToken.self, from: JSONEncoder().encode(all[2].token))
        #expect(token == all[2].token)
        #expect(all[1].token < token && !(all[3].token < token))
        let author = "odd"
        #expect(try history(#Predicate { $0.token > token }) == Array(all[3...]))
        #expect(try history(#Predicate { $0.token > token && $0.author == author }).count == 2)
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [
            SortDescriptor(\.transactionIdentifier, order: .reverse)
        ])
        descriptor.fetchLimit = 2
        #expect(try context.fetchHistory(descriptor) == [all[5], all[4]])
    }

    @Test(
        "A token of deleted history is expired: no change is skipped in silence",
        .behaviour("swiftdata.history-expired"))
    func expiry() throws {
        for number in 0..<5 {
            context.insert(Account(number: number, owner: "x"))
            try context.save()
        }
        let all = try history()
        let (first, third) = (all[0].token, all[2].token)
        let number = all[3].transactionIdentifier
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier < number }))
        #expect(try history() == Array(all[3...]))
        #expect(try history(#Predicate { $0.token > third }) == Array(all[3...]))
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(#Predicate { $0.token > first }) }
        // The objects are still there.
        #expect(try context.fetchCount(FetchDescriptor<Account>()) == 5)
    }

    private struct Unexpected: Error {}
}

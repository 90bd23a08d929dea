import CloudStore

extension ConformanceCase {
    static let control: [ConformanceCase] = [
        ConformanceCase("Accounts are found by id and name, change, and go with their sessions") { subject in
            let control = subject.store.control
            let name = subject.name
            let account = AccountRow(id: "A-\(name)", name: "\(name)@example.com", created: 5, firstName: "Ada")
            try control.insertAccount(account)
            try expectEqual(try control.account(id: account.id), account)
            try expectEqual(try control.account(name: account.name), account)
            try expect(try control.accounts().contains(account), "the account listed")
            try expectStoreError(.constraint) {
                try control.insertAccount(AccountRow(id: "B-\(name)", name: account.name, created: 6))
            }
            try control.updatePassword(account: account.id, hash: "$argon2id$")
            let changed = try require(try control.account(id: account.id), "the account")
            try expectEqual(changed.passwordHash, "$argon2id$")
            // Whoever knew the old password is out in the same moment.
            try expectEqual(changed.generation, 2)
            let session = SessionRow(id: "S-\(name)", account: account.id, created: 1, expires: 1_000_000)
            try control.insertSession(session)
            try expectEqual(try control.session(id: session.id), session)
            try control.revokeSession(id: session.id)
            try expectEqual(try control.session(id: session.id)?.revoked, true)
            try control.deleteAccount(id: account.id)
            try expectEqual(try control.account(id: account.id), nil)
            try expectEqual(try control.session(id: session.id), nil)
        },
        ConformanceCase("Whether a person is found is kept for each container, and goes with the account") { subject in
            let control = subject.store.control
            let name = subject.name
            var row = DiscoverabilityRow(container: name, userRecordName: "_1", account: "D-\(name)", isGranted: true)
            try control.insertAccount(AccountRow(id: row.account, name: "d-\(name)", created: 5))
            try expectEqual(try control.discoverability(of: "_1", container: name), nil)
            try control.setDiscoverability(row, replacing: false)
            try expectEqual(try control.discoverability(of: "_1", container: name), row)
            row.isGranted = false
            try control.setDiscoverability(row, replacing: true)
            try expectEqual(try control.discoverability(account: row.account), [row])
            row.isGranted = true
            try control.setDiscoverability(row, replacing: false)
            try expectEqual(try control.discoverability(of: "_1", container: name)?.isGranted, false)
            try control.deleteAccount(id: row.account)
            try expectEqual(try control.discoverability(of: "_1", container: name), nil)
        },
        ConformanceCase("Sessions that ended can be removed") { subject in
            let control = subject.store.control
            let name = subject.name
            try control.insertSession(SessionRow(id: "old-\(name)", account: name, created: -9, expires: -5))
            try control.insertSession(SessionRow(id: "new-\(name)", account: name, created: -9, expires: .max))
            try control.deleteSessions(expiredBefore: 0)
            try expectEqual(try control.session(id: "old-\(name)"), nil)
            try expect(try control.session(id: "new-\(name)") != nil, "the session that has not ended")
        },
        ConformanceCase("Server keys are found by id, container and environment, and go one by one") { subject in
            let control = subject.store.control
            let container = "iCloud.\(subject.name)"
            let keys = ["development", "production"].map {
                ServerKeyRow(
                    id: "k-\(subject.name)", container: container, environment: $0, publicKey: [0, 1, 255], note: "n",
                    created: 3)
            }
            for key in keys { try control.insertServerKey(key) }
            try expectStoreError(.constraint) { try control.insertServerKey(keys[0]) }
            for key in keys {
                try expectEqual(
                    try control.serverKey(id: key.id, container: container, environment: key.environment), key)
            }
            try expectEqual(
                try control.serverKey(id: keys[0].id, container: "other", environment: "development"), nil)
            try control.deleteServerKey(keys[0])
            try expectEqual(try control.serverKeys().filter { $0.container == container }, [keys[1]])
        },
        ConformanceCase("API tokens are found by their hash") { subject in
            let control = subject.store.control
            let container = "iCloud.\(subject.name)"
            let tokens = [Int64(1), 2].map { number in
                APITokenRow(
                    tokenHash: Array(container.utf8) + [UInt8(number), 0], container: container,
                    environment: "development",
                    origins: "https://a.example", callback: "https://a.example/in", note: "n", created: number,
                    prefix: "ab\(number)")
            }
            for token in tokens { try control.insertAPIToken(token) }
            try expectEqual(try control.apiToken(hash: tokens[1].tokenHash), tokens[1])
            try expectEqual(try control.apiTokens(container: container), tokens)
            try control.deleteAPIToken(hash: tokens[0].tokenHash)
            try expectEqual(try control.apiTokens(container: container), [tokens[1]])
            try expect(try control.apiTokens().contains(tokens[1]), "the token among all")
        },
        ConformanceCase("Containers are registered once") { subject in
            let control = subject.store.control
            let identifier = "iCloud.registered.\(subject.name)"
            try expect(try control.insertContainer(identifier, created: 5), "a new registration")
            try expect(try !control.insertContainer(identifier, created: 6), "an old registration")
            try expect(
                try control.containers().contains(RegisteredContainerRow(identifier: identifier, created: 5)),
                "the first one")
            try expect(try control.setRequestLogLife(7, container: identifier), "a container of its own mind")
            try expect(
                try control.containers().contains(.init(identifier: identifier, created: 5, requestLogLife: 7)),
                "the life of its log")
            try control.setRequestLogLife(nil, container: identifier)
            try expect(
                try control.containers().contains(.init(identifier: identifier, created: 5)), "the server's again")
            try expect(try !control.setRequestLogLife(7, container: "iCloud.nobody"), "nothing to set")
            try control.deleteContainer(identifier)
            try expect(try !control.containers().contains { $0.identifier == identifier }, "none")
        },
        ConformanceCase("Settings keep bytes, and a default is set once") { subject in
            let control = subject.store.control
            let name = "key-\(subject.name)"
            try expectEqual(try control.setting(name), nil)
            try expectEqual(try control.setting(name, orSet: [1, 0, 255]), [1, 0, 255])
            try expectEqual(try control.setting(name, orSet: [9]), [1, 0, 255])
            try control.setSetting(name, [])
            try expectEqual(try control.setting(name), [])
        },
    ]

    static let requests: [ConformanceCase] = [
        ConformanceCase("Requests are listed newest first and pruned by each container's own time") { subject in
            let log = subject.store.requests
            let (one, two) = ("iCloud.one.\(subject.name)", "iCloud.two.\(subject.name)")
            func row(_ container: String, _ time: Int64) -> RequestLogRow {
                RequestLogRow(
                    time: time, container: container, environment: "development", operation: "private/records/modify",
                    user: "_u", status: 200, errorCode: "", microseconds: 12, requestBytes: 3, responseBytes: 4,
                    requestID: "id\(time)", detail: "d")
            }
            log.append([row(one, -50), row(one, -30)])
            log.append([row(two, -50), row(one, -40)])
            _ = try log.prune(before: .min, limit: 1)  // queued behind them on SQLite
            while try log.query(container: one, since: -100, limit: 10).count < 3 {}
            let found = try log.query(container: one, since: -45, limit: 10)
            try expectEqual(found.map(\.time), [-30, -40])
            var expected = row(one, -30)
            expected.id = found[0].id
            try expectEqual(found[0], expected)
            try expectEqual(try log.query(container: one, since: -100, limit: 1).map(\.time), [-30])
            while try log.prune(before: .min, retention: [one: -35, two: -60], limit: 1) {}
            try expectEqual(try log.query(container: one, since: -100, limit: 10).map(\.time), [-30])
            try expectEqual(try log.query(container: two, since: -100, limit: 10).map(\.time), [-50])
        }
    ]
}

extension SyncMachine {
    /// A fetch that is going on: the changed zones first, then the changes of each.
    struct Fetching: Sendable {
        enum Step: Sendable {
            case account
            /// The delegate hears of another account.
            case accountChange(SyncProgress, CKError?)
            case will
            /// The delegate is asked what to fetch; the request follows.
            case options
            case databasePage
            /// A zone that the whole list did not show is asked why.
            case zoneReason(CKRecordZone.ID, DatabasePage)
            case databaseHandled(DatabasePage)
            case zoneWill
            case zonePage
            case zoneHandled(ZonePage)
            case zoneDid
            case did
        }

        var step = Step.account
        let context: CKSyncEngine.FetchChangesContext
        var options: CKSyncEngine.FetchChangesOptions
        var isDatabaseDone = false
        /// Zones known before, while the database is read from its beginning. Those that its list does not show are gone.
        var unconfirmed: Set<CKRecordZone.ID>?
        /// Where that reading is. It is not kept: broken off, it begins again, or nobody would know what it did not show.
        var restartToken: String?
        var zoneID: CKRecordZone.ID?
        /// Zones done with, well or not.
        var finishedZones: Set<CKRecordZone.ID> = []
        /// Zones that were not found, and why. Once all others are read, the database is asked whether they were made again.
        var missingZones: [CKRecordZone.ID: CKDatabase.DatabaseChange.Deletion.Reason] = [:]
        /// Those of them in whose place another zone is known to be.
        var replacedZones: Set<CKRecordZone.ID> = []
        /// Zones whose tokens ran out, read from their beginning once.
        var restartedZones: Set<CKRecordZone.ID> = []
        /// Of a record of the zone that could not be read.
        var unreadable: CKError?
        var failures = SyncFailures()
        /// What ends the fetch before its time.
        var fatal: CKError?

        init(_ context: CKSyncEngine.FetchChangesContext) {
            self.context = context
            options = context.options
        }
    }

    mutating func advance(_ state: Fetching, _ input: Input) -> [Effect] {
        var fetching = state
        switch (fetching.step, input) {
        case (.account, .account(let account)):
            switch admit(account) {
            case .end(let error): return finish(error)
            case .goOn: return beginFetching(&fetching)
            case .changed(let effects, let event, let progress, let error):
                fetching.step = .accountChange(progress, error)
                activity = .fetching(fetching)
                return effects + [.deliver(event)]
            }
        case (.accountChange(let changed, let error), .handled):
            progress = changed
            if let error { return [.progressChanged] + finish(error) }
            return [.progressChanged] + beginFetching(&fetching)
        case (.will, .handled):
            return askForOptions(&fetching)
        case (.options, .fetchOptions(let options)):
            fetching.options = options
            return request(&fetching)
        case (.databasePage, .databaseChanges(let result)):
            return receiveDatabase(result, &fetching)
        case (.zoneReason(let zoneID, let page), .zoneChanges(let result)):
            return receiveReason(of: zoneID, result, page, &fetching)
        case (.databaseHandled(let page), .handled):
            return databaseHandled(page, &fetching)
        case (.zoneWill, .handled):
            return askForOptions(&fetching)
        case (.zonePage, .zoneChanges(let result)):
            return receiveZone(result, &fetching)
        case (.zoneHandled(let page), .handled):
            return zoneHandled(page, &fetching)
        case (.zoneDid, .handled):
            fetching.zoneID = nil
            if fetching.fatal != nil { return [.progressChanged] + endFetching(&fetching) }
            return [.progressChanged] + askForOptions(&fetching)
        case (.did, .handled):
            return [.progressChanged] + finish(fetching.fatal ?? fetching.failures.error)
        default:
            return finish(Self.unexpected)
        }
    }

    private mutating func beginFetching(_ fetching: inout Fetching) -> [Effect] {
        deliver(.willFetchChanges(.init(context: fetching.context)), then: .will, &fetching)
    }

    private mutating func endFetching(_ fetching: inout Fetching) -> [Effect] {
        deliver(.didFetchChanges(.init(context: fetching.context)), then: .did, &fetching)
    }

    private mutating func deliver(
        _ event: CKSyncEngine.Event, then step: Fetching.Step, _ fetching: inout Fetching
    ) -> [Effect] {
        fetching.step = step
        activity = .fetching(fetching)
        return [.deliver(event)]
    }

    /// Before each request the delegate may change its mind about the zones.
    private mutating func askForOptions(_ fetching: inout Fetching) -> [Effect] {
        fetching.step = .options
        activity = .fetching(fetching)
        return [.askForFetchOptions(fetching.context)]
    }

    private mutating func request(_ fetching: inout Fetching) -> [Effect] {
        if !fetching.isDatabaseDone {
            if progress.databaseToken == nil && fetching.unconfirmed == nil {
                fetching.unconfirmed = Set(progress.zoneTokens.keys).union(progress.unfetchedZoneIDs)
            }
            fetching.step = .databasePage
            activity = .fetching(fetching)
            return [.fetchDatabaseChanges(since: progress.databaseToken ?? fetching.restartToken)]
        }
        if let zoneID = fetching.zoneID {
            fetching.step = .zonePage
            activity = .fetching(fetching)
            return [.fetchZoneChanges(zoneID, since: progress.zoneTokens[zoneID])]
        }
        guard let zoneID = nextZone(fetching) else {
            return fetching.missingZones.isEmpty ? endFetching(&fetching) : askAgain(&fetching)
        }
        fetching.zoneID = zoneID
        fetching.unreadable = nil
        return deliver(.willFetchRecordZoneChanges(.init(zoneID: zoneID)), then: .zoneWill, &fetching)
    }

    /// Zones were not found since the database was asked. Its list tells of those that were made again.
    private mutating func askAgain(_ fetching: inout Fetching) -> [Effect] {
        fetching.isDatabaseDone = false
        return askForOptions(&fetching)
    }

    private func nextZone(_ fetching: Fetching) -> CKRecordZone.ID? {
        func isWanted(_ zoneID: CKRecordZone.ID) -> Bool {
            !fetching.finishedZones.contains(zoneID) && fetching.options.scope.contains(zoneID)
        }
        return fetching.options.prioritizedZoneIDs.first { progress.isUnfetched($0) && isWanted($0) }
            ?? progress.unfetchedZoneIDs.first(where: isWanted)
    }

    // MARK: The database

    private mutating func receiveDatabase(
        _ result: Result<DatabasePage, CKError>, _ fetching: inout Fetching
    ) -> [Effect] {
        switch result {
        case .failure(let error) where error.code == .changeTokenExpired && progress.databaseToken != nil:
            progress.databaseToken = nil
            return askForOptions(&fetching)
        case .failure(let error):
            fetching.fatal = error
            return endFetching(&fetching)
        case .success(var page):
            page.deleted += madeAgain(page, fetching)
            fetching.unconfirmed?.subtract(page.listed)
            for zoneID in page.listed { fetching.missingZones[zoneID] = nil }
            return page.moreComing ? tell(page, &fetching) : concludeDatabase(page, &fetching)
        }
    }

    /// Zones that were not found and are there now: what was in the one before is gone with it. The list does not tell of
    /// that one where it never showed it.
    private func madeAgain(_ page: DatabasePage, _ fetching: Fetching) -> [CKDatabase.DatabaseChange.Deletion] {
        let deleted = Set(page.deleted.map(\.zoneID))
        return page.changed.compactMap { zoneID in
            guard !deleted.contains(zoneID) else { return nil }
            return fetching.missingZones[zoneID].map { .init(zoneID: zoneID, reason: $0) }
        }
    }

    /// What the whole list did not show is gone. Why, only the zone itself tells: a list from the beginning names no zone that
    /// went before it was asked for.
    private mutating func concludeDatabase(_ page: DatabasePage, _ fetching: inout Fetching) -> [Effect] {
        let unexplained = (fetching.unconfirmed ?? []).filter { fetching.missingZones[$0] == nil }
        if let zoneID = unexplained.min(by: { $0.shortDescription < $1.shortDescription }) {
            fetching.step = .zoneReason(zoneID, page)
            activity = .fetching(fetching)
            return [.fetchZoneChanges(zoneID, since: progress.zoneTokens[zoneID])]
        }
        var page = page
        let gone = fetching.missingZones.sorted { $0.key.shortDescription < $1.key.shortDescription }
        page.deleted += gone.map { .init(zoneID: $0.key, reason: $0.value) }
        page.changed += gone.map(\.key).filter(fetching.replacedZones.contains)
        fetching.missingZones = [:]
        fetching.unconfirmed = nil
        return tell(page, &fetching)
    }

    private mutating func receiveReason(
        of zoneID: CKRecordZone.ID, _ result: Result<ZonePage, CKError>, _ page: DatabasePage,
        _ fetching: inout Fetching
    ) -> [Effect] {
        if case .failure(let error) = result, error.zoneDeletionReason == nil, error.syncTreatment == .retry {
            // Nothing of the list was told yet: it is asked for anew.
            fetching.fatal = error
            return endFetching(&fetching)
        }
        fetching.missingZones[zoneID] = result.failure?.zoneDeletionReason ?? .deleted
        // One that is there was made after the list was.
        let isThere = result.failure.map { $0.code == .changeTokenExpired } ?? true
        if isThere { fetching.replacedZones.insert(zoneID) }
        return concludeDatabase(page, &fetching)
    }

    private mutating func tell(_ page: DatabasePage, _ fetching: inout Fetching) -> [Effect] {
        guard !page.changed.isEmpty || !page.deleted.isEmpty else { return databaseHandled(page, &fetching) }
        let event = CKSyncEngine.Event.FetchedDatabaseChanges(
            modifications: page.changed.map { CKDatabase.DatabaseChange.Modification(zoneID: $0) },
            deletions: page.deleted)
        return deliver(.fetchedDatabaseChanges(event), then: .databaseHandled(page), &fetching)
    }

    private mutating func databaseHandled(_ page: DatabasePage, _ fetching: inout Fetching) -> [Effect] {
        for deletion in page.deleted { progress.forget(deletion.zoneID) }
        for zoneID in page.changed { progress.addUnfetched(zoneID) }
        // Where the database was asked again, a zone may have been made again.
        fetching.finishedZones.subtract(page.changed)
        let stands = page.token == progress.databaseToken ?? fetching.restartToken
        if fetching.unconfirmed != nil && page.moreComing {
            fetching.restartToken = page.token
        } else {
            progress.databaseToken = page.token
        }
        if page.moreComing && stands && page.changed.isEmpty && page.deleted.isEmpty {
            fetching.fatal = .tokenStandsStill
            return endFetching(&fetching)
        }
        fetching.isDatabaseDone = !page.moreComing
        return [.progressChanged] + askForOptions(&fetching)
    }

    // MARK: A zone

    private mutating func receiveZone(_ result: Result<ZonePage, CKError>, _ fetching: inout Fetching) -> [Effect] {
        guard let zoneID = fetching.zoneID else { return finish(Self.unexpected) }
        switch result {
        case .success(let page):
            if fetching.unreadable == nil { fetching.unreadable = page.error }
            guard !page.changed.isEmpty || !page.deleted.isEmpty else { return zoneHandled(page, &fetching) }
            let event = CKSyncEngine.Event.FetchedRecordZoneChanges(
                modifications: page.changed.map { CKDatabase.RecordZoneChange.Modification(record: $0) },
                deletions: page.deleted)
            return deliver(.fetchedRecordZoneChanges(event), then: .zoneHandled(page), &fetching)
        case .failure(let error):
            if error.code == .changeTokenExpired, progress.zoneTokens[zoneID] != nil,
                fetching.restartedZones.insert(zoneID).inserted
            {
                // From the beginning. Which records went meanwhile the server no longer knows: the app hears the error, and
                // what the reading that follows does not show is gone. Apple's documentation is silent on this.
                progress.zoneTokens[zoneID] = nil
                // It may be another zone, made since the database was asked: the app hears first that the one before went.
                fetching.isDatabaseDone = false
                if let reason = error.zoneDeletionReason {
                    fetching.missingZones[zoneID] = reason
                    fetching.replacedZones.insert(zoneID)
                }
                return deliver(
                    .didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error)), then: .zoneDid, &fetching)
            }
            if error.code != .changeTokenExpired, let reason = error.zoneDeletionReason {
                // Gone since the database was asked. It keeps no other zone from being read.
                fetching.missingZones[zoneID] = reason
                fetching.replacedZones.remove(zoneID)
            } else if error.syncTreatment == .retry && error.code != .zoneBusy {
                fetching.fatal = error
            } else {
                fetching.failures.add(error, for: zoneID)
            }
            return end(zoneID, error, &fetching)
        }
    }

    private mutating func zoneHandled(_ page: ZonePage, _ fetching: inout Fetching) -> [Effect] {
        guard let zoneID = fetching.zoneID else { return finish(Self.unexpected) }
        let stands = page.token == progress.zoneTokens[zoneID]
        progress.zoneTokens[zoneID] = page.token
        if page.moreComing {
            if stands && page.changed.isEmpty && page.deleted.isEmpty {
                fetching.failures.add(.tokenStandsStill, for: zoneID)
                return [.progressChanged] + end(zoneID, .tokenStandsStill, &fetching)
            }
            return [.progressChanged] + askForOptions(&fetching)
        }
        progress.removeUnfetched(zoneID)
        if let error = fetching.unreadable { fetching.failures.add(error, for: zoneID) }
        // That the zone is read may not be stored before the app has heard it: nothing would tell it again.
        return end(zoneID, fetching.unreadable, &fetching)
    }

    private mutating func end(
        _ zoneID: CKRecordZone.ID, _ error: CKError?, _ fetching: inout Fetching
    ) -> [Effect] {
        fetching.finishedZones.insert(zoneID)
        return deliver(.didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error)), then: .zoneDid, &fetching)
    }
}

extension SyncMachine.DatabasePage {
    fileprivate var listed: [CKRecordZone.ID] { changed + deleted.map(\.zoneID) }
}

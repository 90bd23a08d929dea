import SQL

/// Runs waiting requests of one writer in one transaction.
///
/// Each request is a savepoint, so that one that fails takes nothing of the others with it; a commit that fails takes all.
struct GroupCommit<Session: StoreSession> {
    let session: Session
    let options: StoreOptions

    /// Runs jobs from the front until a bound of the group is reached, commits, and tells each its outcome.
    ///
    /// - Returns: how many jobs were taken.
    func run(_ jobs: ArraySlice<WriteJob<Session>>) -> Int {
        let (taken, failure) = apply(jobs)
        for job in jobs.prefix(taken) { job.finish(failure) }
        return taken
    }

    /// The part that must not be disturbed by others, without telling anybody.
    func apply(_ jobs: ArraySlice<WriteJob<Session>>) -> (taken: Int, failure: StoreError?) {
        do {
            try session.beginWrite()
        } catch {
            return (jobs.count, session.failed(error))
        }
        session.bytesWritten = 0
        let isAlone = jobs.count == 1
        let start = StoreClock.monotonic()
        var taken = 0
        for job in jobs {
            if taken > 0, isFull(since: start) { break }
            taken += 1
            do {
                // A request that is alone in its transaction needs no savepoint inside it.
                if !isAlone { try session.openSavepoint() }
                let refusal = job.run(session)
                session.forget()
                if refusal != nil, isAlone {
                    session.rollback()
                    return (taken, nil)
                }
                guard session.isInTransaction else {
                    return (taken, (refusal as? StoreError) ?? lost)
                }
                if isAlone { continue }
                if refusal != nil { try session.rollbackSavepoint() } else { try session.releaseSavepoint() }
            } catch {
                session.rollback()
                return (taken, session.failed(error))
            }
        }
        do {
            try session.commit()
            return (taken, nil)
        } catch {
            session.rollback()
            return (taken, session.failed(error))
        }
    }

    private func isFull(since start: Int64) -> Bool {
        session.bytesWritten >= options.groupBytes || StoreClock.monotonic() - start >= options.groupMilliseconds
    }

    private var lost: StoreError {
        StoreError(.unavailable, "\(session.place) gave up the transaction. Nothing of it was kept; try again.")
    }
}

import Synchronization

/// Tells whether somebody tracks what the running code reads, so that objects which nobody observes need no registrar: making
/// one costs as much as reading the object's row.
///
/// Observation does not say it, but a registrar asks a key path for its hash only when it notes an access for somebody. The
/// key path here counts that. It belongs to no object, so nobody is ever told of a change to it.
///
/// Every property's getter comes here: what it touches is of a kind that need not be retained.
struct TrackingCheck {
    private struct Registrars {
        var current = ObservationRegistrar()
        // A tracking that never fires stays with every registrar that it has met. The objects' end with them, so this one
        // has to end now and then too; its successor comes early enough for a tracking that is still being set up.
        var former: ObservationRegistrar?
        var noted = 0
    }

    private let registrars = UnsafeMutablePointer<Registrars>.allocate(capacity: 1)

    /// Lives until `end`, with the context that has it.
    init() { registrars.initialize(to: Registrars()) }

    func end() {
        registrars.deinitialize(count: 1)
        registrars.deallocate()
    }

    /// Another thread may be counted too: then it is true without reason, which costs time and does no harm.
    var isTracked: Bool {
        let before = hashCount.load(ordering: .relaxed)
        registrars.pointee.current.access(Subject(), keyPath: subjectKeyPath)
        if hashCount.load(ordering: .relaxed) == before { return false }
        note()
        return true
    }

    @inline(never)
    private func note() {
        registrars.pointee.noted += 1
        guard registrars.pointee.noted.isMultiple(of: 1000) else { return }
        registrars.pointee.former = registrars.pointee.current
        registrars.pointee.current = ObservationRegistrar()
    }
}

private struct Subject: Observable {
    subscript(count: HashCount) -> Int { 0 }
}

/// Counts how often it is asked for its hash.
private struct HashCount: Hashable {
    func hash(into hasher: inout Hasher) { hashCount.add(1, ordering: .relaxed) }
}

private let hashCount = Atomic(0)
private let subjectKeyPath = \Subject[HashCount()]

/// One thing that happens to devices with sync engines. A value, so that a run can be printed, repeated and made shorter.
enum EngineAction: Hashable, Sendable {
    // What people do.
    /// A record that everybody writes and nobody deletes.
    case write(Int, Zone, Int)
    /// The same by all devices at once, each not knowing of the others.
    case writeTogether(Zone, Int)
    /// A client of another kind, without an engine, overwrites it whatever it was.
    case writeElsewhere(User, Zone, Int)
    /// A record that its own device makes and deletes; others only change it.
    case writeMortal(Int, Zone, owner: Int, Int)
    case erase(Int, Zone, Int)
    case deleteZone(Int, Zone)
    case signOut(Int)
    case signIn(Int, User)

    // What the app and its engine do.
    case fetch(Int)
    case send(Int)
    /// What is due by the schedule begins.
    case wake(Int)
    /// So many effects are carried out.
    case step(Int, Int)
    /// The app is killed and started again.
    case crash(Int)

    // Time and pushes.
    case wait(seconds: Int)
    case listen(Int)
    case deliverPush(Int)
    case repeatPush(Int)
    case losePush(Int)

    // The network.
    /// Meets the device's next request.
    case fault(Int, Fault)
    case partition(Int)
    case reconnect(Int)

    // The server.
    case restartServer
    case limitItems(Int)
    case fillAccount
    case emptyAccount
    case expireTombstones
    case removeZone(User, Zone, Removal)
    /// A person erases all that the app keeps of theirs.
    case eraseData(User)
    /// A person has lost the key of what is encrypted: the zones that hold some go.
    case resetEncryptedData(User)
    case backUp
    case restore

    /// All faults end; everybody must come to rest.
    case heal

    enum User: String, Hashable, Sendable, CaseIterable {
        case ada, grace
    }

    enum Zone: String, Hashable, Sendable, CaseIterable {
        case notes
        /// Its notes have an encrypted value.
        case work
    }

    /// Why a zone goes without a device's doing.
    enum Removal: Hashable, Sendable, CaseIterable {
        case deleted, purged, encryptedDataReset
    }

    /// What becomes of one request.
    enum Fault: Hashable, Sendable {
        case lost
        case answerLost
        /// What came of the answer breaks off in the middle.
        case answerCut
        /// The device takes it for lost; it arrives when so many things have happened.
        case late(actions: Int)
        /// It arrives twice; the device gets the first answer or the second.
        case twice(takesFirst: Bool)
        case serverDiesBefore
        case serverDiesAfter
        case busy
        case limited(seconds: Int)
        case unavailable
        case quota
        case tooLarge
        /// One record of several.
        case oneRecordBusy
        case accountUnavailable
    }
}

extension EngineAction {
    /// A likely mixture. What it says depends on nothing but chance, so that any part of a script is a script too.
    static func random(devices: Int, using random: inout SeededGenerator) -> EngineAction {
        let device = Int.random(in: 0..<devices, using: &random)
        let zone: Zone = random.chance(75) ? .notes : .work
        switch Int.random(in: 0..<1070, using: &random) {
        case 0..<110: return .write(device, zone, Int.random(in: 0..<6, using: &random))
        case 110..<150:
            let owner = random.chance(60) ? device : Int.random(in: 0..<devices, using: &random)
            return .writeMortal(device, zone, owner: owner, Int.random(in: 0..<5, using: &random))
        case 150..<175: return .erase(device, zone, Int.random(in: 0..<5, using: &random))
        case 175..<182: return .deleteZone(device, zone)
        case 182..<190: return .signOut(device)
        case 190..<206: return .signIn(device, random.chance(70) ? .ada : .grace)
        case 206..<236: return .fetch(device)
        case 236..<276: return .send(device)
        case 276..<396: return .wake(device)
        case 396..<730: return .step(device, Int.random(in: 1...8, using: &random))
        case 730..<755: return .crash(device)
        case 755..<800: return .wait(seconds: [1, 1, 5, 60, 700].randomElement(using: &random) ?? 1)
        case 800..<825: return .listen(device)
        case 825..<875: return .deliverPush(device)
        case 875..<882: return .repeatPush(device)
        case 882..<892: return .losePush(device)
        case 892..<945: return .fault(device, .random(using: &random))
        case 945..<951: return .partition(device)
        case 951..<963: return .reconnect(device)
        case 963..<969: return .restartServer
        case 969..<972: return .limitItems(Int.random(in: 1...4, using: &random))
        case 972..<974: return .fillAccount
        case 974..<978: return .emptyAccount
        case 978..<982: return .expireTombstones
        case 982..<988:
            let user: User = random.chance(70) ? .ada : .grace
            return .removeZone(user, zone, Removal.allCases.randomElement(using: &random) ?? .deleted)
        case 988..<994: return .backUp
        case 994..<997: return .restore
        case 1000..<1040: return .writeTogether(zone, Int.random(in: 0..<3, using: &random))
        case 1040..<1060:
            let user: User = random.chance(80) ? .ada : .grace
            return .writeElsewhere(user, zone, Int.random(in: 0..<3, using: &random))
        case 1060..<1065: return .eraseData(random.chance(80) ? .ada : .grace)
        case 1065..<1070: return .resetEncryptedData(random.chance(80) ? .ada : .grace)
        default: return .heal
        }
    }
}

extension EngineAction.Fault {
    fileprivate static func random(using random: inout SeededGenerator) -> Self {
        let all: [Self] = [
            .lost, .answerLost, .answerLost, .answerCut, .late(actions: Int.random(in: 1...30, using: &random)),
            .twice(takesFirst: true), .twice(takesFirst: false), .serverDiesBefore,
            .serverDiesAfter, .busy, .limited(seconds: 30), .unavailable, .quota, .tooLarge, .oneRecordBusy,
            .accountUnavailable,
        ]
        return all.randomElement(using: &random) ?? .lost
    }
}

/// Everything that a run depends on.
struct EngineScript: Sendable {
    struct Device: Hashable, Sendable {
        var user: EngineAction.User
        /// Whether its batches are atomic.
        var isAtomic: Bool
        /// Zones of a page of the database's changes, and records of a page of a zone's.
        var pageSize: Int
    }

    var seed: UInt64
    var devices: [Device]
    var actions: [EngineAction]

    init(seed: UInt64, count: Int = 400) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        devices = (0..<Int.random(in: 2...4, using: &random)).map { _ in
            Device(
                user: random.chance(80) ? .ada : .grace, isAtomic: random.chance(50),
                pageSize: Int.random(in: 1...4, using: &random))
        }
        let number = devices.count
        actions = (0..<count).map { _ in .random(devices: number, using: &random) }
    }

    init(seed: UInt64, devices: [Device], actions: [EngineAction]) {
        self.seed = seed
        self.devices = devices
        self.actions = actions
    }
}

import CloudStore
import WebServices

/// `POST tokens/create`: a new address for the caller's pushes. It needs no `tokens/register` after it: Apple's page does
/// not say, and nobody asks for an address whose pushes they do not want. [Apple:CreateTokens]
struct TokensCreateEndpoint: WritingEndpoint {
    private let request: TokensCreate.Request

    init(_ request: TokensCreate.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        let address = CourierToken(address: Hex.encode(context.random.bytes(CourierToken.addressBytes)))
        try context.keepPushToken(address.address, clientID: request.clientID, writer)
        let realm = PushRealm(container: context.container, environment: context.environment)
        let path = CourierPoll.path(
            container: context.container, environment: context.environment,
            courierToken: address.text(realm, context.secret))
        return .tokensCreate(
            TokensCreate.Response(
                apnsEnvironment: request.apnsEnvironment, apnsToken: address.address,
                webcourierURL: (context.configuration.publicURL ?? "") + path))
    }
}

/// `POST tokens/register`: the caller is who an address' pushes are for from now on. [Apple:RegisterTokens]
struct TokensRegisterEndpoint: WritingEndpoint {
    private let request: TokensRegister.Request

    init(_ request: TokensRegister.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        let token = request.apnsToken.lowercased()
        // Accepting a token of Apple's push service would promise what this server cannot keep.
        guard token.utf8.count <= Limits.nameLength, try writer.pushToken(token) != nil else {
            throw ServerError.badRequest(
                "The token was not made by tokens/create: this server delivers pushes at its webcourierURL only")
        }
        try context.keepPushToken(token, clientID: request.clientID, writer)
        return .tokensRegister
    }
}

extension RequestContext {
    /// Makes the caller the owner of an address. The oldest of too many give way: whoever polls there makes a new one.
    fileprivate func keepPushToken(_ token: String, clientID: String?, _ writer: ContainerWriter) throws {
        guard (clientID ?? "").utf8.count <= Limits.nameLength else {
            throw ServerError.badRequest("A clientId has at most \(Limits.nameLength) bytes")
        }
        let row = PushTokenRow(
            token: token, owner: userRecordName, client: clientID ?? "", device: isNative ? deviceID : "", created: now)
        var others = try writer.pushTokens(owner: userRecordName).filter { $0.token != token }
        var dropped: [PushTokenRow] = []
        let mine = others.filter { ($0.client, $0.device) == (row.client, row.device) }
        if !(row.client.isEmpty && row.device.isEmpty) {
            dropped += mine.dropLast(min(mine.count, Limits.pushTokensPerClient - 1))
            others.removeAll(where: dropped.contains)
        }
        dropped += others.dropLast(min(others.count, Limits.pushTokensPerUser - 1))
        for old in dropped {
            try writer.deletePushToken(old.token)
            afterCommit.pushTokenDropped(old.token)
        }
        try writer.savePushToken(row)
        // A device that comes again may have missed something.
        afterCommit.pushTokenMade(PushAddress(row), inDoubt: !row.device.isEmpty && !mine.isEmpty)
    }
}

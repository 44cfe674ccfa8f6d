/// An error as it is told to the other side: what, whose side, and what to do next.
package struct PeerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; numbers unknown here are shown as they are.
    package enum Code: UInt64, Hashable, Sendable, CaseIterable {
        /// The bytes are not the protocol.
        case malformed = 1
        /// No version of the protocol is spoken by both.
        case incompatible = 2
        /// The peer belongs to another space.
        case foreignSpace = 3
        /// The peers have different rules for the same space.
        case rulesDiffer = 4
        /// Both peers have the same replica id.
        case sameReplica = 5
        /// A message came that does not belong there.
        case outOfOrder = 6
        /// Something is larger than a limit.
        case overLimit = 7
        /// The other side was silent for too long.
        case timeout = 8
        /// The speaker's store cannot take more: full disk, busy, or damaged.
        case store = 9
        /// The speaker serves too many sessions.
        case busy = 10
        /// The speaker had a clone suspicion and took a new replica id.
        case newIdentity = 11
        /// Contents still differ after a full exchange.
        case diverged = 12
        /// Any refusal that has no number of its own; the reason says which.
        case refused = 13
        /// The speaker's mass-delete guard holds deletes until a person confirms them.
        case deletesHeld = 14
    }

    /// The side that has to act.
    package enum Side: UInt64, Hashable, Sendable {
        /// The side that says so.
        case speaker = 0
        /// The side that hears it.
        case hearer = 1
        /// Neither alone: both must agree.
        case both = 2
    }

    /// The cause of a refusal, where the code alone leaves several; recognised by number, never by words.
    package enum Reason: UInt64, Hashable, Sendable, CaseIterable {
        // MARK: A device refuses a device

        /// The device is trusted by nobody there.
        case notTrusted = 1
        /// The device was revoked.
        case revoked = 2
        /// The pairing code was used by another device.
        case codeUsed = 3
        /// No device waits with the pairing code: it was used, refused, has ended, or names another meeting point.
        case noMailbox = 4
        /// The person at the inviting device did not admit the device.
        case notAdmitted = 5
        /// The pairing code has ended.
        case codeEnded = 6
        /// By the device's word another took a new replica id too often within a day.
        case spendsReplicaIDs = 9

        // MARK: A program is too old

        /// The message's kind is unknown there and must not be skipped.
        case unknownMessage = 10

        // MARK: A message contradicts another

        /// A state summary does not fit its digest.
        case summaryDiffers = 11

        // MARK: A relay refuses a device

        /// The relay has as many sessions as it may.
        case relaySessions = 20
        /// The space has as many sessions at the relay as it may.
        case spaceSessions = 21
        /// Too many proofs from the device's address failed.
        case failedProofs = 22
        /// The relay takes only spaces with encryption.
        case plainSpace = 23
        /// The relay has the space with encryption and the device comes without, or the reverse.
        case encryptionDiffers = 24
        /// The device gave no proof of access.
        case noProof = 25
        /// The proof of access is wrong.
        case wrongProof = 26
        /// A new space needs the relay's token, which is missing or wrong.
        case token = 27
        /// The relay has as many spaces as it may.
        case spaces = 28
        /// The relay has a later secret of the space.
        case oldGeneration = 29
        /// The device has a later secret that is not signed by the one that the relay has.
        case unsignedGeneration = 30
        /// The space has as many bytes at the relay as it may.
        case bytes = 31
        /// The space has as many records at the relay as it may.
        case records = 32
        /// A record has as many concurrent versions at the relay as it may.
        case versions = 33
        /// The relay holds as many bytes of unfinished uploads as it may.
        case heldBytes = 34
        /// The device takes too slowly what the relay sends.
        case slowReader = 35
        /// The relay was greeted with `hello`, as a device is.
        case greetedAsDevice = 36
        /// The relay's file of the space was replaced.
        case replacedFile = 37
        /// The device has as many sessions about the space at the relay as it may.
        case deviceSessions = 38
        /// The relay's operator has put the device out of the space.
        case putOut = 39
        /// The relay, or the device's address, has as many mailboxes of pairing as it may, or one of them is full.
        case mailboxes = 46

        // MARK: A store cannot take more

        /// The disk is full.
        case diskFull = 40
        /// Another process holds the store's write lock.
        case storeBusy = 41
        /// The store was made by a newer program.
        case newerStore = 42
        /// The store is damaged.
        case damagedStore = 43
        /// The disk cannot be written.
        case readOnlyDisk = 44
        /// The store's list of devices cannot be read or written.
        case deviceDirectory = 45

        // MARK: A relay closes a space

        /// The relay's operator has put a device out of the space, and this one was never there.
        case closedSpace = 48

        // MARK: A device cannot upload more

        /// The device has uploaded as many bytes about the space to the relay within a day as it may.
        case deviceBytes = 49

        // MARK: A relay has other processes

        /// The process ends, and others of the same relay go on: the device takes the next address.
        case elsewhere = 50
    }

    /// The number of what went wrong.
    package let code: UInt64
    /// The number of the cause; nil where the code says all.
    package let reasonNumber: UInt64?
    /// The error in words.
    package let message: String
    /// The side that has to act.
    package let side: Side
    /// The next step in words.
    package let advice: String

    /// An error of a known kind.
    package init(
        _ code: Code, reason: Reason? = nil, _ message: String, side: Side, advice: String
    ) {
        self.init(
            code: code.rawValue, reason: reason?.rawValue, message: message, side: side,
            advice: advice)
    }

    /// An error of any number.
    package init(
        code: UInt64, reason: UInt64? = nil, message: String, side: Side, advice: String
    ) {
        self.code = code
        reasonNumber = reason
        self.message = message
        self.side = side
        self.advice = advice
    }

    /// The cause; nil where the code says all, or if a newer version knows it.
    package var reason: Reason? { reasonNumber.flatMap { Reason(rawValue: $0) } }

    /// The kind; nil if it comes from a newer version.
    package var known: Code? { Code(rawValue: code) }

    package var description: String { "\(message) (\(advice))" }
}

extension PeerError: WireMessage {
    enum Key: UInt64 {
        case code = 1
        case message, side, advice, reason
    }

    static let kind: UInt64 = 10
    static let name = "error"
    var asMessage: Message { .error(self) }
    var byteCountEstimate: Int { 32 + message.utf8.count + advice.utf8.count }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.code)
        writer.item.unsigned(code)
        writer.key(Key.message)
        writer.item.text(message)
        writer.key(Key.side)
        writer.item.unsigned(side.rawValue)
        writer.key(Key.advice)
        writer.item.text(advice)
        if let reasonNumber {
            writer.key(Key.reason)
            writer.item.unsigned(reasonNumber)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var code: UInt64?
        var message: String?
        var side: UInt64?
        var advice: String?
        var reason: UInt64?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .code: code = try reader.item.unsigned()
            case .message:
                message = try reader.item.text(max: WireLimits.textByteCountMax, .text)
            case .side: side = try reader.item.unsigned()
            case .advice:
                advice = try reader.item.text(max: WireLimits.textByteCountMax, .text)
            case .reason: reason = try reader.item.unsigned()
            }
        }
        self.init(
            code: try reader.required(code, Key.code), reason: reason,
            message: try reader.required(message, Key.message),
            side: Side(rawValue: try reader.required(side, Key.side)) ?? .both,
            advice: try reader.required(advice, Key.advice))
    }

    var fields: [MessageField] {
        [
            .init("code", .number(code)), .init("what", .text(message)),
            .init("side", .number(side.rawValue)), .init("advice", .text(advice)),
        ] + (reasonNumber.map { [.init("reason", .number($0))] } ?? [])
    }
}

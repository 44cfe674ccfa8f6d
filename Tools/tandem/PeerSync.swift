import Core
import Devices
import Session
import Storage
import ToDo
import Transport

/// One sync, with a device or through a relay.
struct PeerSync {
    /// With whom.
    enum Peer {
        case device(Endpoint)
        case relay(RelayAddress)

        /// Reads what a user typed.
        init(parsing text: String) throws {
            self =
                RelayAddress.isMeant(by: text)
                ? .relay(try RelayAddress(parsing: text)) : .device(try Endpoint(parsing: text))
        }

        var description: String {
            switch self {
            case .device(let endpoint): endpoint.description
            case .relay(let address): address.description
            }
        }
    }

    let place: Workplace
    let member: Membership?
    var isLive = false
    var allowInsecure = false

    /// Syncs; gives how the session went and how it ended.
    func run(_ peer: Peer) throws -> (end: SessionEnd, report: SessionReport) {
        var last = SessionReport()
        let report = { (report: SessionReport) in
            if isLive, report.held != nil, last.held == nil {
                Terminal.error(
                    "tandem: deletes on a great scale are held here; see: tandem accept-deletes\n")
            }
            last = report
            if Terminal.showsProgress, (report.sentCount + report.receivedCount) % 1000 < 64 {
                Terminal.error("\r\(report.receivedCount) received, \(report.sentCount) sent ")
            }
        }
        let waiting = { (why: String, seconds: Int) in
            Terminal.error("tandem: \(why); trying again in \(seconds) s\n")
        }
        defer { if Terminal.showsProgress { Terminal.error("\r\u{1b}[K") } }
        let security = try Space.security(place)
        func meet(_ contact: Contact) throws -> SessionEnd {
            let client = try SyncClient(
                store: place.store, contact: contact, isLive: isLive, security: security,
                allowInsecure: allowInsecure, refusal: Space.refusal(place))
            let end = try client.run(report: report, waiting: waiting)
            if let fault = client.fault { throw fault }
            return end
        }
        let end =
            if case .relay(let address) = peer, let member {
                try member.visit(address, token: token(for: address), security: security, meet)
            } else {
                try meet(try contact(peer))
            }
        // What came may hold a later secret for this device, or a device that lacks it.
        try member?.refresh()
        if let member, try member.passOnSecret() > 0, !isLive, case .relay(let address) = peer {
            _ = try member.visit(address, token: token(for: address), security: security, meet)
        }
        return (end, last)
    }

    /// How a peer is reached, and what a relay is shown.
    func contact(_ peer: Peer) throws -> Contact {
        switch peer {
        case .device(let endpoint): return .device(endpoint)
        case .relay(let address):
            let token = token(for: address)
            return .relay(
                address,
                try member?.relayMembership(at: address, token: token) ?? .plain(token: token))
        }
    }

    private func token(for relay: RelayAddress) -> String? {
        member?.keyring.relays[relay.description].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Throws what ended a session before its time.
    ///
    /// - Parameter name: what people call the device, if it is known.
    static func check(_ end: SessionEnd, with peer: String, name: String? = nil) throws {
        switch end {
        case .finished: return
        case .lost:
            throw CommandFailure(
                .unavailable,
                "the connection to \(peer) broke; what arrived is kept, sync again for the rest")
        case .failed(let error, let side):
            let whose =
                switch side {
                case .ours: "this device"
                case .theirs: name?.shownInLine ?? "the other device"
                case .both: "both devices"
                }
            let code: ExitCode =
                switch error.known {
                case .foreignSpace, .rulesDiffer, .sameReplica, .refused, .incompatible,
                    .deletesHeld:
                    .refused
                case .store, .busy, .newIdentity, .timeout: .retryLater
                default: .unavailable
                }
            throw CommandFailure(
                code,
                "\(peer): \(error.message.shownInLine); to be mended on \(whose): "
                    + error.advice.shownInLine)
        }
    }
}

import Core
import Crypto
import Glibc
import Session
import Storage
import Transport

/// A code that waits for one more device, for as long as this object does: its keys are in memory alone.
///
/// A daemon that runs for the store, or `serve`, passes direct connections on to it; it may stop and start meanwhile.
package final class WaitingInvitation {
    /// How long a code is good unless told otherwise; seconds.
    package static let secondsStandard = 600
    /// The longest that a code may be good; seconds.
    package static let secondsMax = 3600

    /// How it ended.
    package enum Result: Hashable, Sendable {
        /// A device was admitted, and has joined: its record is here.
        case joined(PairingApplicant)
        /// A device was admitted, and was not seen yet.
        case admitted(PairingApplicant)
        /// Nobody was admitted.
        case over(PairingEnding)
    }

    /// The code for the other device; its key is wiped once it was used or has ended.
    package let code: PairingCode
    /// How long it is good; seconds.
    package let seconds: Int
    /// Whether the space has a secret.
    package let isEncrypted: Bool
    /// The relays that are handed over and were not reached just now, and why.
    package let unmet: [(relay: HostAndPort, why: any Error)]
    /// Whether this object itself answers at the address in the code; else something else listens there.
    package private(set) var isListening = false
    /// Told what happens.
    package var notice: (PairingNotice) -> Void = { _ in }
    /// Where it runs.
    package let loop: EventLoop

    /// How often it is looked for the admitted device's record; milliseconds.
    private static let lookMilliseconds = 500
    /// How long what was put in may take to leave; milliseconds.
    private static let leavingMilliseconds = 300
    /// How long the first sync of an admitted device with this object may last; seconds.
    private static let syncSecondsMax = 3600

    private let device: Device
    private let relay: RelayAddress?
    private let mailbox: UInt128
    private var result: Result?
    private var failure: (any Error)?
    private var isOver = false

    #if Encryption
        private let inviter: PairingInviter
        private var link: MailboxLink?
        private var acceptor: Acceptor?
        private var guests: [ObjectIdentifier: PairingGuest] = [:]
        private var server: SyncServer?
        private var runner: ReplicaRunner?
        private var items: [[UInt8]] = []
        private var lookCount = 0
    #endif

    /// Makes a code; nobody can use it before `open`.
    ///
    /// - Parameters:
    ///   - meeting: where both meet: this device, or a relay.
    ///   - relay: the relay at the meeting point; nil if it is this device.
    ///   - admitsFirst: whether whoever comes first is admitted, and nobody types digits.
    ///   - handover: what an admitted device is handed, as it is then; nil if that cannot be read.
    init(
        _ device: Device, _ member: SpaceMember, at meeting: HostAndPort, relay: RelayAddress?,
        seconds: Int, admitsFirst: Bool, unmet: [(relay: HostAndPort, why: any Error)],
        handover: @escaping () -> PairingHandover?
    ) throws {
        #if Encryption
            self.device = device
            self.relay = relay
            self.seconds = seconds
            self.unmet = unmet
            isEncrypted = member.keyring.secret != nil
            loop = try EventLoop()
            var key = Keyring.random(byteCount: PairingCode.keyByteCount)
            defer { key.wipe() }
            let store = device.store
            inviter = try PairingInviter(
                codeKey: key, oneTime: OneTimeKey(.random(count: 32)),
                end: SystemEnvironment.bootMilliseconds() + Int64(seconds) * 1000,
                admitsFirst: admitsFirst, random: { Keyring.random(byteCount: $0) },
                isRevoked: { (try? DeviceDirectory(store))?.isRevoked($0) ?? true },
                handover: handover)
            guard let code = PairingCode(meeting: meeting, key: key, pin: inviter.pin) else {
                throw DeviceFault.noAddress
            }
            self.code = code
            mailbox = PairingSocket.mailbox(inviter.keys.mailbox)
        #else
            throw DeviceFault.noEncryption
        #endif
    }

    /// Opens the meeting point; from then on the code can be used.
    ///
    /// - Throws: a `TransportError` or `PeerError` if the relay is not reached or has no room.
    package func open() throws {
        #if Encryption
            if let relay { try open(relay) } else { try listen() }
            tick()
        #endif
    }

    /// Waits until a device has joined, or the code is over.
    package func run() throws -> Result {
        defer { end() }
        try loop.run()
        return result ?? .over(.stopped)
    }

    /// The rest once the loop runs no more.
    private func end() {
        #if Encryption
            closeDoor()
            server?.refuseCalls()
            runner?.stop()
            loop.closeLinks()
        #endif
    }

    /// The number of digits that the other device shows.
    package static let digitCount = 6

    /// Takes the digits that the other device shows; on the loop's thread.
    ///
    /// - Returns: whether they are as many as are shown: others cannot be meant, and count as no try.
    @discardableResult
    package func enter(digits: String) -> Bool {
        guard digits.count(where: { $0.isASCII && $0.isNumber }) == Self.digitCount else {
            return false
        }
        #if Encryption
            step(.digits(digits))
        #endif
        return true
    }

    /// Waits no longer; a device that was admitted stays so.
    ///
    /// A second time it ends at once. On the loop's thread.
    package func stop() {
        #if Encryption
            if isOver { return loop.stop() }
            step(.stop)
            leave()
        #endif
    }
}

/// An event that the person at the inviting device hears of.
package enum PairingNotice: Hashable, Sendable {
    /// A device asks to be let in.
    case asks(PairingApplicant)
    /// More devices asked than may.
    case tooMany
    /// The digits fit no device that asks.
    case wrongDigits(leftCount: Int)
    /// A device is admitted, and the secret is on its way.
    case admitted(PairingApplicant)
    /// A device that asked is not admitted.
    case notAdmitted(PairingApplicant, PairingOutcome)
    /// A device came with the code when it was used or over.
    case late(PairingApplicant)
    /// The code has ended, and nobody is admitted any more.
    case over(PairingEnding)

    /// The device that it is about; nil for none.
    package var applicant: PairingApplicant? {
        switch self {
        case .asks(let applicant), .admitted(let applicant), .notAdmitted(let applicant, _),
            .late(let applicant):
            applicant
        case .tooMany, .wrongDigits, .over: nil
        }
    }
}

/// Why a code is over before it was used.
package enum PairingEnding: String, Hashable, Sendable {
    /// Its time has passed.
    case time
    /// The digits were wrong too often.
    case wrongDigits = "wrong-digits"
    /// It was stopped.
    case stopped
    /// The decision cannot be written to the disk.
    case disk
}

/// The events of an invitation as programs hear of them, by their codes.
package enum InvitationEvent: String, CaseIterable, Sendable {
    /// A device asks to be let in.
    case asks
    /// More devices asked than may.
    case tooMany = "too-many"
    /// The digits fit no device that asks.
    case wrongDigits = "wrong-digits"
    /// A device is admitted, and was not seen yet.
    case admitted
    /// A device that asked is not admitted.
    case notAdmitted = "not-admitted"
    /// A device came with the code when it was used or over.
    case late
    /// The admitted device has joined.
    case joined
    /// The code's time has passed.
    case overTime = "over-time"
    /// The digits were wrong too often.
    case overWrongDigits = "over-wrong-digits"
    /// The invitation was stopped.
    case overStopped = "over-stopped"
    /// The decision cannot be written to the disk.
    case overDisk = "over-disk"

    /// Whether the code is used or over after it.
    package var isEnd: Bool {
        switch self {
        case .admitted, .joined, .overTime, .overWrongDigits, .overStopped, .overDisk: true
        case .asks, .tooMany, .wrongDigits, .notAdmitted, .late: false
        }
    }

    /// The event of a notice.
    package init(_ notice: PairingNotice) {
        self =
            switch notice {
            case .asks: .asks
            case .tooMany: .tooMany
            case .wrongDigits: .wrongDigits
            case .admitted: .admitted
            case .notAdmitted: .notAdmitted
            case .late: .late
            case .over(.time): .overTime
            case .over(.wrongDigits): .overWrongDigits
            case .over(.stopped): .overStopped
            case .over(.disk): .overDisk
            }
    }
}

#if Encryption
    extension WaitingInvitation {
        private func open(_ relay: RelayAddress) throws {
            let link = try MailboxLink(
                on: loop, at: relay.hostAndPort, fingerprint: relay.fingerprint, mailbox: mailbox,
                isMaking: true)
            self.link = link
            link.received = { [unowned self] in step(.item($0)) }
            var isOpen = false
            link.opened = { [unowned self] in
                if !isOpen { loop.stop() }
                isOpen = true
            }
            link.failed = { [unowned self] error in
                failure = error
                if isOpen { step(.stop) }
                loop.stop()
            }
            link.start()
            try loop.run()
            if let failure { throw failure }
        }

        private func listen() throws {
            acceptor = try Acceptor(
                on: loop, socket: PairingSocket.listen(mailbox, in: device.folder), security: nil,
                acceptsPlain: true, options: LinkOptions()
            ) { [unowned self] link in
                guard guests.count < PairingGuest.countMax else { return link.close() }
                let guest = PairingGuest(self, mailbox: mailbox)
                guests[ObjectIdentifier(guest)] = guest
                guest.start(link, items)
            }
            let runner = try ReplicaRunner(
                store: device.store, on: loop, refusal: DeviceAccess.refusal(in: device.store))
            let server = SyncServer(
                runner: runner,
                log: SyncServer.Log(
                    listening: { _ in }, connected: { _ in }, ended: { _, _, _, _ in }))
            do {
                let access = try device.access()
                try server.begin(
                    at: .tcp(Self.ownAddress(code.meeting)), security: access.security,
                    plain: access.plain(leavingThisMachine: false))
                (self.server, self.runner) = (server, runner)
                isListening = true
            } catch TransportError.failedCall(.bind, _, _) {
                // Something listens there already, as a daemon does, or the address is that of a router.
                runner.stop()
            }
        }

        /// Where to listen for those who come to a meeting point.
        private static func ownAddress(_ meeting: HostAndPort) throws -> HostAndPort {
            if let found = meeting.resolvedWithoutNetwork(), found.allSatisfy(\.isLoopback) {
                return meeting
            }
            return HostAndPort(
                host: meeting.host.contains(":") ? "::" : "0.0.0.0", port: meeting.port)
        }

        // MARK: Steps

        func step(_ event: PairingInviter.Event) {
            if isOver { return }
            run(inviter.step(event, now: SystemEnvironment.bootMilliseconds()))
        }

        private func run(_ effects: [PairingInviter.Effect]) {
            for effect in effects {
                switch effect {
                case .put(let item):
                    items.append(item)
                    link?.put(item)
                    for guest in guests.values { guest.put(item) }
                case .decide(let decision):
                    step(.decided(isOnDisk: keep(decision)))
                case .show(let found):
                    note(found)
                    notice(found)
                    conclude(found)
                }
            }
        }

        /// Writes a decision to the keyring, which is flushed before this returns.
        private func keep(_ decision: PairingDecision) -> Bool {
            let time = SystemEnvironment.wallMilliseconds() / 1000
            let space = device.store.space
            let kept = try? Keyring.update(in: device.folder) { found in
                guard var keyring = found, keyring.space == space else { return nil }
                keyring.admit(decision, at: time)
                return keyring
            }
            return kept?.admitted.last?.decision == decision
        }

        private func note(_ found: PairingNotice) {
            let (applicant, reason): (PairingApplicant, PeerError.Reason?)
            switch found {
            case .admitted(let admitted): (applicant, reason) = (admitted, nil)
            case .late(let late): (applicant, reason) = (late, .codeUsed)
            case .notAdmitted(let other, let outcome): (applicant, reason) = (other, outcome.reason)
            case .asks, .tooMany, .wrongDigits, .over: return
            }
            DeviceLog.note(
                reason == nil ? .admitted : .refused, fingerprint: applicant.fingerprint,
                name: applicant.name, address: code.meeting.host, reason: reason,
                at: SystemEnvironment.wallMilliseconds(), in: device.store)
        }

        private func conclude(_ found: PairingNotice) {
            switch found {
            case .admitted(let applicant):
                result = .admitted(applicant)
                code.wipe()
            case .over(let ending):
                result = .over(ending)
                code.wipe()
                leave()
            case .asks, .tooMany, .wrongDigits, .notAdmitted, .late: break
            }
        }

        // MARK: Time

        private func tick() {
            if isOver { return }
            step(.tick)
            if case .admitted(let applicant)? = result { look(for: applicant) }
            loop.schedule(after: .milliseconds(Self.lookMilliseconds)) { [weak self] in
                self?.tick()
            }
        }

        /// Looks whether the admitted device has written its record; through a relay it has to be fetched.
        private func look(for applicant: PairingApplicant) {
            lookCount += 1
            if let relay, lookCount % 2 == 0, let access = try? device.access() {
                _ = try? DeviceSync(device, access).session(with: .relay(relay))
            }
            // A device that comes back has a record from before: it names the code once it is here.
            let seen = (try? device.directory()[applicant.fingerprint])?.invite
            if seen == inviter.keys.mailbox {
                result = .joined(applicant)
                leave()
            } else if SystemEnvironment.bootMilliseconds() >= inviter.end {
                leave()
            }
        }

        private func leave() {
            if isOver { return }
            isOver = true
            closeDoor()
            // Whoever is here waits for nothing.
            let closing = PairingMessage.closing(PairingMessage.everyRequest)
            link?.put(closing)
            link?.close()
            for guest in guests.values {
                guest.put(closing)
                guest.close()
            }
            let end = MonotonicTime.now + .seconds(Self.syncSecondsMax)
            stopWhenIdle(by: end)
        }

        /// Lets nobody in any more; whoever serves the store then answers those who come with the code.
        private func closeDoor() {
            guard let acceptor else { return }
            PairingSocket.remove(mailbox, in: device.folder)
            acceptor.close()
            self.acceptor = nil
        }

        /// Stops once what was put in has left, and the first sync of the admitted device is over if it is with this object.
        private func stopWhenIdle(by end: MonotonicTime) {
            loop.schedule(after: .milliseconds(Self.leavingMilliseconds)) { [unowned self] in
                let isBusy = (server?.openSessionCount ?? 0) > 0
                if isBusy, MonotonicTime.now < end { stopWhenIdle(by: end) } else { loop.stop() }
            }
        }

        func forget(_ guest: PairingGuest) { guests[ObjectIdentifier(guest)] = nil }
    }
#endif

extension PairingOutcome {
    /// The cause under which it is noted; nil for a device that is admitted.
    var reason: PeerError.Reason? {
        switch self {
        case .admitted: nil
        case .used: .codeUsed
        case .refused: .notAdmitted
        case .ended: .codeEnded
        case .revoked: .revoked
        }
    }
}

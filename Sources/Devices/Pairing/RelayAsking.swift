#if Encryption
    import Core
    import Crypto
    import Storage
    import Transport
    import Core

    /// Shows a relay one secret after another, to find out which one it has: few times and not for long, as relays
    /// count proofs that fail, and a daemon does nothing else meanwhile.
    ///
    /// Nothing is uploaded, and nothing that a rekey message says is merged: who wrote it under an older secret may be out by
    /// now.
    final class RelayAsking {
        /// A relay's answer.
        enum Answer {
            /// It has that secret now.
            case relayHelloReply
            /// It has a later one.
            case later
            /// It has another one, or an earlier one.
            case refused
            /// It was asked often or long enough.
            case over
        }

        /// The most conversations.
        static let askCountMax = 16
        /// The most of them that a relay counts as failed proofs.
        static let failedCountMax = 3
        /// How long a relay may take for each, and for all of them; no new one begins after that.
        static let timeout = (each: Duration.seconds(3), all: Duration.seconds(6))

        /// The records of the rekey messages that were given.
        private(set) var rekeyMessages: [Change] = []
        private let relay: RelayAddress
        private let store: Store
        private let security: SyncSecurity
        private let end = MonotonicTime.now + RelayAsking.timeout.all
        private var askCount = 0
        private var failedCount = 0

        init(_ relay: RelayAddress, of store: Store, _ security: SyncSecurity) {
            self.relay = relay
            self.store = store
            self.security = security
        }

        /// Shows it a secret.
        ///
        /// - Parameter isStep: whether it is the one after that which the relay has just shown to have; such are not counted, as a
        ///   path has so many of them.
        func ask(as sealer: SpaceSealer, isStep: Bool = false) throws -> Answer {
            guard let fingerprint = relay.fingerprint, isStep || askCount < Self.askCountMax,
                failedCount < Self.failedCountMax, MonotonicTime.now < end
            else { return .over }
            if !isStep { askCount += 1 }
            let answer = try answer(to: sealer, fingerprint)
            rekeyMessages += answer.rekeyMessage.flatMap(sealer.open) ?? []
            if answer.isRelayHelloReply { return .relayHelloReply }
            if answer.hasLaterSecret { return .later }
            failedCount += 1
            return .refused
        }

        /// The answer of the first of its addresses that has one.
        private func answer(
            to sealer: SpaceSealer, _ fingerprint: Fingerprint
        ) throws(TransportError) -> RelayHelloExchange.Answer {
            var fault: TransportError?
            for hostAndPort in relay.hostsAndPorts {
                do throws(TransportError) {
                    let answer = try RelayHelloExchange.perform(
                        at: hostAndPort, fingerprint, security: security, timeout: Self.timeout.each
                    ) { binding in
                        guard let access = try? sealer.access(on: binding) else { return nil }
                        return RelayHello(
                            space: self.store.space, replica: self.store.replica, features: [],
                            generation: sealer.generation, access: access)
                    }
                    if answer.refusal?.reason != .elsewhere
                        || hostAndPort == relay.hostsAndPorts.last
                    {
                        return answer
                    }
                } catch {
                    fault = error
                }
            }
            throw fault ?? .security(.cutHandshake, peer: relay.hostAndPort.description)
        }
    }
#endif

#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A device that greets a relay of a space: what is looked at, and what is written once it is let in.
    struct PostgreSQLAdmission {
        private let relayHello: RelayHello
        private let visitor: RelayVisitor?
        private let limits: RelayLimits
        private let opening: Int64
        private let drawBits: () -> UInt64

        init(
            _ relayHello: RelayHello, _ visitor: RelayVisitor?, _ limits: RelayLimits,
            opening: Int64, drawBits: @escaping () -> UInt64
        ) {
            self.relayHello = relayHello
            self.visitor = visitor
            self.limits = limits
            self.opening = opening
            self.drawBits = drawBits
        }

        /// The space as it was found, and the decision on it.
        struct Look {
            /// The row of the space; nil if there is none.
            var state: PostgreSQLSpaceState?
            /// The server.
            var origin: PostgreSQLOrigin
            /// The decision.
            var decision: RelayDecision
            /// The last day on which the device was let in; nil if it never was.
            var lastDay: Int64?
            /// The rekey messages.
            var rekeyMessages: [RekeyMessage.Mark]
            /// The epochs, oldest first.
            var epochs: [RelayEpoch]
            /// How far into its own sequence the device has uploaded.
            var uploaded: Checkpoint?

            /// The space as the device enters it; nil if that was not decided.
            func entry(_ cause: RelayEntry.Cause, _ relayHello: RelayHello) -> RelayEntry? {
                guard let state, case .enter = decision else { return nil }
                return RelayEntry(
                    cause: cause, head: state.head(origin, rekeyMessages), uploaded: uploaded,
                    start: RelayEpoch.start(
                        of: relayHello.read, relay: state.relay, in: epochs,
                        through: state.sequence))
            }
        }

        /// The statements that read it.
        ///
        /// - Parameter isMaking: whether the space may have to be made, which one process does at a time.
        func queries(locking: Bool, isMaking: Bool = false) -> [PostgreSQLQuery] {
            let space = PostgreSQLValue.identifier(relayHello.space.value)
            return [
                isMaking ? PostgreSQLWriting.lockTotal() : PostgreSQLReading.total(),
                locking ? PostgreSQLSpaceState.locking(space) : PostgreSQLSpaceState.reading(space),
                PostgreSQLReading.device(space, .bytes(visitor?.fingerprint ?? [])),
                PostgreSQLReading.rekeyMessages(space), PostgreSQLSpaceState.readingEpochs(space),
                PostgreSQLReading.uploaded(space, .identifier(relayHello.replica.value)),
                PostgreSQLPutOutList.readingSpace(space),
            ]
        }

        /// Decides on what was read.
        func look(
            _ answers: [PostgreSQLRows], _ opened: PostgreSQLOpened,
            _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
        ) throws(StoreFault) -> Look {
            let server = opened.server
            let state = try PostgreSQLSpaceState(answers[1], server: server)
            let marks = try PostgreSQLRekeyMessage.all(answers[3], server: server).map(\.mark)
            let lastDay =
                visitor != nil && answers[2].count > 0 ? answers[2].number(0, 0) : nil
            var head = state?.head(opened.origin, marks)
            head?.isVisitorKnown = lastDay != nil
            head?.putOut = PostgreSQLPutOutList.devices(answers[6])
            let others = Int(answers[0].number(0, 0)) - (state == nil ? 0 : 1)
            let uploaded =
                answers[5].count == 0
                ? nil
                : Checkpoint(
                    epoch: EpochID(value: answers[5].unsigned(0, 0)),
                    sequence: answers[5].unsigned(0, 1))
            return Look(
                state: state, origin: opened.origin, decision: decide(head, others),
                lastDay: lastDay, rekeyMessages: marks,
                epochs: PostgreSQLSpaceState.epochs(answers[4]), uploaded: uploaded)
        }

        /// The refusal that was decided, with the rekey message that the device is to have; nil if it is let in.
        func refusal(
            _ look: Look
        ) -> PostgreSQLStep<RelayAdmission?> {
            guard case .refuse(let rejection) = look.decision else { return .done(nil) }
            guard look.state != nil, let verifier = rejection.rekeyMessageVerifier else {
                return .done(.refused(rejection, nil))
            }
            let message = PostgreSQLReading.rekeyMessage(
                .identifier(relayHello.space.value), .bytes(verifier))
            return .asking([message]) { answers throws(StoreFault) in
                let rows = answers[0]
                guard rows.count > 0, let generation = UInt32(exactly: rows.number(0, 0)) else {
                    return .done(.refused(rejection, nil))
                }
                let message = RekeyMessage(
                    generation: generation, verifier: verifier, bytes: rows.bytes(0, 1))
                return .done(.refused(rejection, message))
            }
        }

        /// Decides once more, behind the lock, and does it.
        ///
        /// - Returns: what is to be run at the end of the transaction, and the outcome.
        func perform(
            _ answers: [PostgreSQLRows], isMaking: Bool, _ opened: PostgreSQLOpened,
            _ decide: RelayStore.Decide
        ) throws(StoreFault) -> PostgreSQLStep<(last: [PostgreSQLQuery], value: RelayAdmission)> {
            let look = try look(answers, opened, decide)
            return refusal(look).then { refused throws(StoreFault) in
                if let refused { return .done((last: [], value: refused)) }
                return .done(try write(look, answers, isMaking: isMaking, opened))
            }
        }

        private func write(
            _ found: Look, _ answers: [PostgreSQLRows], isMaking: Bool, _ opened: PostgreSQLOpened
        ) throws(StoreFault) -> (last: [PostgreSQLQuery], value: RelayAdmission) {
            var look = found
            var queries: [PostgreSQLQuery] = []
            var cause = RelayEntry.Cause.found
            switch look.decision {
            case .refuse, .enter: break
            case .make(let generation, let verifier):
                // It was there a moment ago, and is gone now: the device comes again.
                guard isMaking else {
                    throw .busy(
                        holder: "the database \(opened.server)", waitedMilliseconds: 0)
                }
                var made = state(generation, verifier, table: answers[0].unsigned(0, 1))
                let epoch = made.beginEpochIfDue(opening, opened.origin, drawBits: drawBits)
                queries = [PostgreSQLWriting.raiseTotal(), made.making] + epoch
                look.state = made
                cause = .made
            case .begin(let generation, let verifier):
                guard let old = look.state else {
                    preconditionFailure("a generation of no space was begun")
                }
                var begun = state(generation, verifier, table: old.table)
                begun.byteCount = try PostgreSQLRekeyMessage.all(
                    answers[3], server: opened.server
                ).reduce(0) { $0 + $1.countedByteCount }
                let epoch = begun.beginEpochIfDue(opening, opened.origin, drawBits: drawBits)
                let space = PostgreSQLValue.identifier(relayHello.space.value)
                queries =
                    PostgreSQLWriting.dropAll.map { $0(space) }
                    + [PostgreSQLWriting.leave(.identifier(old.relay.value)), begun.saving]
                    + epoch
                look.state = begun
                look.uploaded = nil
                cause = .begun(after: old.generation)
            }
            if case .found = cause {
            } else {
                look.decision = .enter
                let epoch = look.state?.epoch
                look.epochs = epoch.map { [RelayEpoch(id: $0, firstSequence: 0)] } ?? []
            }
            guard let entry = look.entry(cause, relayHello) else {
                preconditionFailure("only a space that is there is entered")
            }
            return (last: queries + remembering, value: .entered(entry))
        }

        /// A new state of the space, which is nobody's yet.
        private func state(
            _ generation: UInt32, _ verifier: [UInt8], table: UInt64
        ) -> PostgreSQLSpaceState {
            PostgreSQLSpaceState(
                space: relayHello.space,
                relay: ReplicaID(value: UInt128(drawBits()) << 64 | UInt128(drawBits())),
                generation: generation, verifier: verifier, table: table)
        }

        /// Notes that the device was let in today.
        private var remembering: [PostgreSQLQuery] {
            guard let visitor else { return [] }
            let space = PostgreSQLValue.identifier(relayHello.space.value)
            return [
                PostgreSQLWriting.remember(
                    space, .bytes(visitor.fingerprint), .number(visitor.day)),
                PostgreSQLWriting.forgetDevices(
                    space, .bytes(visitor.fingerprint),
                    .number(Int64(max(0, limits.spaceDeviceCountMax - 1)))),
            ]
        }
    }
#endif

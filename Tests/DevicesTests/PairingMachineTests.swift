import Transport

#if Encryption
    import Core
    import Crypto
    import Devices
    import TestSupport
    import Testing

    @Suite("Pairing")
    struct PairingMachineTests {
        private typealias Inviter = PairingInviter

        private final class Both {
            let inviter: PairingInviter
            let code: PairingCode
            var time: Int64 = 0
            var notices: [PairingNotice] = []
            var put: [[UInt8]] = []
            var decisions: [PairingDecision] = []
            var isDiskFull = false

            init(
                admitsFirst: Bool = false, revoked: Fingerprint? = nil
            ) throws {
                let key = [UInt8](repeating: 4, count: 16)
                inviter = try PairingInviter(
                    codeKey: key, oneTime: PairingWorld.oneTime(1), end: 1000,
                    admitsFirst: admitsFirst,
                    random: { [UInt8](repeating: 5, count: $0) },
                    isRevoked: { $0 == revoked }, handover: { PairingWorld.handover })
                code = try #require(
                    PairingCode(
                        meeting: HostAndPort(host: "r", port: 1), key: key, pin: inviter.pin))
            }

            func joiner(
                _ number: UInt8 = 10, as person: PairingPerson = .joiner
            ) throws -> PairingJoiner {
                try PairingJoiner(
                    code, person.applicant, oneTime: PairingWorld.oneTime(number),
                    nonce: [UInt8](repeating: number, count: 16), signing: person.sign)
            }

            /// Gives the inviter an event, and gives what it put into the place.
            @discardableResult
            func step(_ event: PairingInviter.Event) -> [[UInt8]] {
                var items: [[UInt8]] = []
                for effect in inviter.step(event, now: time) {
                    switch effect {
                    case .put(let item): items.append(item)
                    case .decide(let decision):
                        #expect(!items.contains { $0.first == 3 }, "no outcome leaves before")
                        if !isDiskFull { decisions.append(decision) }
                        items += step(.decided(isOnDisk: !isDiskFull))
                    case .show(let notice): notices.append(notice)
                    }
                }
                return items
            }

            /// Lets a device ask; gives the digits that it shows.
            func ask(_ joiner: PairingJoiner) -> String? {
                for item in step(.item(joiner.request)) {
                    for case .show(let digits) in joiner.receive(item) { return digits }
                }
                return nil
            }
        }

        private func outcome(_ joiner: PairingJoiner, _ items: [[UInt8]]) -> PairingJoiner.Effect? {
            items.flatMap { joiner.receive($0) }.last
        }

        @Test("a device whose digits are typed is handed the space, once")
        func admitted() throws {
            let both = try Both()
            let joiner = try both.joiner()
            let digits = try #require(both.ask(joiner))
            #expect(digits.count == 6)
            let items = both.step(.digits(" \(digits.prefix(3)) \(digits.suffix(3))"))
            #expect(outcome(joiner, items) == .finish(.admitted(PairingWorld.handover)))
            #expect(
                both.decisions.map(\.fingerprint) == [PairingPerson.joiner.certificate.fingerprint])
            #expect(both.inviter.hasForgotten)
            #expect(joiner.receive(items[0]) == [], "it is over")
        }

        @Test(
            "of two devices with the code the one whose digits are typed is admitted, the other is named"
        )
        func second() throws {
            let both = try Both()
            let (joiner, other) = (try both.joiner(), try both.joiner(66, as: .copier))
            let digits = try #require(both.ask(joiner))
            let otherDigits = try #require(both.ask(other))
            #expect(digits != otherDigits)
            let items = both.step(.digits(digits))
            #expect(outcome(other, items) == .finish(.used))
            #expect(outcome(joiner, items) == .finish(.admitted(PairingWorld.handover)))
            #expect(both.notices.last == .notAdmitted(PairingPerson.copier.applicant, .used))
            // One that comes later hears that nothing comes of it, and is named once.
            let late = try both.joiner(67, as: .copier)
            let closing = both.step(.item(late.request))
            #expect(outcome(late, closing) == .closed)
            both.step(.item(late.request))
            #expect(both.notices.count { $0 == .late(PairingPerson.copier.applicant) } == 1)
        }

        @Test("requests without the code are not counted among those that come late, nor answered")
        func lateStrangers() throws {
            let both = try Both(admitsFirst: true)
            both.step(.item(try both.joiner().request))
            for number in 0..<PairingInviter.lateCountMax {
                let noise = [1] + [UInt8](repeating: UInt8(number), count: 200)
                #expect(both.step(.item(noise)) == [])
            }
            let late = try both.joiner(67, as: .copier)
            #expect(outcome(late, both.step(.item(late.request))) == .closed)
            #expect(both.notices.last == .late(PairingPerson.copier.applicant))
            // Of those with the code so many are named, and all are answered.
            for number in 0..<PairingInviter.lateCountMax {
                let next = try both.joiner(UInt8(100 + number), as: .copier)
                #expect(outcome(next, both.step(.item(next.request))) == .closed)
            }
            let named = both.notices.count { $0 == .late(PairingPerson.copier.applicant) }
            #expect(named == PairingInviter.lateCountMax)
        }

        @Test(
            "the same request again gets the same answer, and after the decision the same outcome")
        func repeated() throws {
            let both = try Both()
            let joiner = try both.joiner()
            let first = both.step(.item(joiner.request))
            #expect(both.step(.item(joiner.request)) == first)
            #expect(both.notices.count == 1)
            let digits = try #require(
                first.flatMap { joiner.receive($0) }.compactMap { effect -> String? in
                    if case .show(let digits) = effect { digits } else { nil }
                }.first)
            let items = both.step(.digits(digits))
            #expect(both.step(.item(joiner.request)) == [first[0], items[0]])
            #expect(both.decisions[0].outcome == items[0])
        }

        @Test("three wrong tries of digits end the code, for whoever has the right ones too")
        func wrongDigits() throws {
            let both = try Both()
            let joiner = try both.joiner()
            let digits = try #require(both.ask(joiner))
            let wrong = digits == "111111" ? "222222" : "111111"
            both.step(.digits(wrong))
            both.step(.digits(wrong))
            #expect(
                both.notices.suffix(2) == [.wrongDigits(leftCount: 2), .wrongDigits(leftCount: 1)])
            let items = both.step(.digits(wrong))
            #expect(outcome(joiner, items) == .finish(.refused))
            #expect(both.notices.last == .over(.wrongDigits))
            #expect(both.step(.digits(digits)).isEmpty && both.decisions.isEmpty)
            #expect(both.inviter.hasForgotten)
        }

        @Test("eight requests are answered, further ones are told")
        func crowd() throws {
            let both = try Both()
            for number in 0..<8 {
                #expect(both.ask(try both.joiner(UInt8(10 + number))) != nil)
            }
            let ninth = try both.joiner(99)
            #expect(outcome(ninth, both.step(.item(ninth.request))) == .closed)
            #expect(both.notices.last == .tooMany)
        }

        @Test("past its end by the inviter's clock a code admits nobody, whatever is typed")
        func ended() throws {
            let both = try Both()
            let joiner = try both.joiner()
            let digits = try #require(both.ask(joiner))
            both.time = 999
            both.step(.tick)
            #expect(both.inviter.isWaiting)
            both.time = 1000
            let items = both.step(.digits(digits))
            #expect(outcome(joiner, items) == .finish(.ended))
            #expect(both.decisions.isEmpty && both.notices.last == .over(.time))
            let late = try both.joiner(11)
            #expect(outcome(late, both.step(.item(late.request))) == .closed)
        }

        @Test("a decision that cannot be written ends the code, and nothing has left")
        func fullDisk() throws {
            let both = try Both()
            both.isDiskFull = true
            let joiner = try both.joiner()
            let digits = try #require(both.ask(joiner))
            #expect(outcome(joiner, both.step(.digits(digits))) == .finish(.ended))
            #expect(both.notices.last == .over(.disk) && both.inviter.hasForgotten)
        }

        @Test("a revoked key is told so, and takes no place of a device")
        func revoked() throws {
            let both = try Both(revoked: PairingPerson.joiner.certificate.fingerprint)
            let joiner = try both.joiner()
            let items = both.step(.item(joiner.request))
            #expect(outcome(joiner, items) == .finish(.revoked))
            let other = try both.joiner(30, as: .copier)
            let digits = try #require(both.ask(other))
            #expect(
                outcome(other, both.step(.digits(digits)))
                    == .finish(.admitted(PairingWorld.handover)))
        }

        @Test("without digits the first who asks is admitted, and the next one is named")
        func first() throws {
            let both = try Both(admitsFirst: true)
            let (joiner, other) = (try both.joiner(), try both.joiner(66, as: .copier))
            let items = both.step(.item(joiner.request))
            #expect(outcome(joiner, items) == .finish(.admitted(PairingWorld.handover)))
            #expect(outcome(other, both.step(.item(other.request))) == .closed)
            #expect(both.notices.last == .late(PairingPerson.copier.applicant))
        }

        @Test(
            "a place at which nobody waits any more ends every request, and no outcome that came before"
        )
        func closedForAll() throws {
            let closing = [4] + [UInt8](repeating: 0, count: 32)
            #expect(try Both().joiner().receive(closing) == [.closed])
            let both = try Both(admitsFirst: true)
            let joiner = try both.joiner()
            let items = both.step(.item(joiner.request))
            #expect(
                outcome(joiner, items + [closing])
                    == .finish(.admitted(PairingWorld.handover)))
        }

        @Test("an outcome that comes before the answer is opened behind it")
        func reordered() throws {
            let both = try Both(admitsFirst: true)
            let joiner = try both.joiner()
            let items = both.step(.item(joiner.request))
            #expect(joiner.receive(items[1]).isEmpty)
            #expect(joiner.receive(items[0]).last == .finish(.admitted(PairingWorld.handover)))
        }

        @Test(
            "requests with a byte changed, of another code, or without a right signature are nobody's"
        )
        func foreignRequests() throws {
            let both = try Both()
            let request = try both.joiner().request
            for index in request.indices {
                var changed = request
                changed[index] ^= 1
                #expect(both.step(.item(changed)).isEmpty)
            }
            let forged = try PairingJoiner(
                both.code, PairingPerson.joiner.applicant, oneTime: PairingWorld.oneTime(12),
                nonce: [UInt8](repeating: 1, count: 16), signing: PairingPerson.copier.sign)
            #expect(both.step(.item(forged.request)).isEmpty)
            #expect(both.notices.isEmpty && both.inviter.isWaiting)
        }

        @Test("an answer with a byte changed is passed over or another inviter's, never shown")
        func changedAnswers() throws {
            let both = try Both()
            let answer = try #require(both.step(.item(both.joiner().request)).first)
            for index in answer.indices {
                let joiner = try both.joiner()
                var changed = answer
                changed[index] ^= 1
                let effects = joiner.receive(changed)
                #expect(effects.isEmpty || effects == [.wrongInviter], "byte \(index)")
            }
        }

        @Test("a one-time key of small order agrees with nobody", arguments: [UInt8(0), 1])
        func smallOrder(first: UInt8) throws {
            let keys = try PairingCodeKeys([UInt8](repeating: 4, count: 16))
            let point = [first] + [UInt8](repeating: 0, count: 31)
            #expect(throws: SealFault.self) {
                _ = try PairingRequestKeys(
                    own: PairingWorld.oneTime(1), peer: point, inviter: point, keys,
                    request: [UInt8](repeating: 1, count: 32))
            }
        }

        @Test("a joining device refuses an inviter whose pinned key is of small order")
        func smallOrderInviter() throws {
            let point = [UInt8](repeating: 0, count: 32)
            let code = try #require(
                PairingCode(
                    meeting: HostAndPort(host: "r", port: 1), key: [UInt8](repeating: 4, count: 16),
                    pin: Array(SHA256.hash(point).prefix(10))))
            let joiner = try PairingJoiner(
                code, PairingPerson.joiner.applicant, oneTime: PairingWorld.oneTime(10),
                nonce: [UInt8](repeating: 1, count: 16), signing: PairingPerson.joiner.sign)
            let item =
                try [2] + SHA256.hash(joiner.request) + point + [UInt8](repeating: 1, count: 32)
            #expect(joiner.receive(item) == [.wrongInviter])
        }

        @Test("in every order of what both do, the place does and crashes, the rules hold")
        func allOrders() throws {
            // With a copier there are thousands of orders: all of them on demand, else those of the next test.
            let kinds: [PairingWorld.Copier] =
                TestSettings.number("TANDEM_ALL_ORDERS") == 1
                ? PairingWorld.Copier.allCases : [.never]
            for copier in kinds {
                var seen: Set<String> = []
                var waiting: [[PairingWorld.Move]] = [[]]
                var next = 0
                var hasPaired = false
                while next < waiting.count {
                    let path = waiting[next]
                    next += 1
                    let world = try PairingWorld(copier)
                    for move in path { try world.run(move) }
                    guard seen.insert(world.state).inserted else { continue }
                    #expect(world.broken.isEmpty, "\(world.broken): \(path)")
                    if world.gotten == PairingWorld.handover { hasPaired = true }
                    for move in world.moves { waiting.append(path + [move]) }
                }
                #expect(hasPaired && seen.count > 200)
            }
        }

        @Test(
            "in orders drawn by chance, with a copier from the start or afterwards, the rules hold",
            arguments: PairingWorld.Copier.allCases)
        func drawnOrders(_ copier: PairingWorld.Copier) throws {
            var random = SplitMix64(seed: 11)
            var (hasPaired, hasNamed, hasWrongInviter) = (false, false, false)
            for _ in 0..<400 {
                let world = try PairingWorld(copier)
                var path: [PairingWorld.Move] = []
                while let move = world.moves.randomElement(using: &random) {
                    // Crashes and the end are possible all the time: most runs get further without them.
                    if move.isEnding, UInt8.random(in: 0..<6, using: &random) > 0 { continue }
                    path.append(move)
                    try world.run(move)
                    #expect(world.broken.isEmpty, "\(world.broken): \(path)")
                }
                if world.gotten == PairingWorld.handover { hasPaired = true }
                if world.notices.contains(.late(PairingPerson.copier.applicant)) { hasNamed = true }
                if world.isWrongInviter { hasWrongInviter = true }
            }
            #expect(hasPaired)
            #expect(hasNamed == (copier != .never))
            #expect(hasWrongInviter == (copier != .never))
        }
    }
#endif

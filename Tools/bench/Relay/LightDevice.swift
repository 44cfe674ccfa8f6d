#if Encryption
    import Core
    import Devices
    import Session
    import Transport

    /// A device without a store: is let in, acknowledges what comes, and forgets it.
    ///
    /// It looks only at the kind of a message, and whether a batch is one that others were given, so that it costs
    /// little beside the relay.
    final class LightDevice: LinkDelegate {
        /// How many bytes of changes have come.
        private(set) var changeByteCount = 0
        /// Which batches have come, by their numbers among those of all devices.
        private(set) var batches: [Int] = []
        /// Whether the relay said that it has sent all.
        private(set) var downloadDoneCount = 0
        /// Whether the link has ended.
        private(set) var isOver = false

        private var link: Link?
        private let space: SpaceID
        private let replica: ReplicaID
        private let sealer: SpaceSealer
        private let delivered: DeliveredBatches
        private var pending: [UInt8] = []

        init(_ number: Int, space: SpaceID, sealer: SpaceSealer, delivered: DeliveredBatches) {
            self.delivered = delivered
            self.space = space
            self.sealer = sealer
            replica = ReplicaID(value: UInt128(SystemEnvironment.random()) << 64 | UInt128(number))
        }

        /// Speaks to a relay over a link that is open.
        func start(on link: Link) throws {
            self.link = link
            link.start(self)
            try sealer.greet(on: link, of: space, as: replica)
        }

        func close() {
            link?.close()
        }

        func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
            var start = 0
            if !pending.isEmpty {
                pending += bytes
                let whole = pending
                pending = []
                whole.withUnsafeBytes { start = receive($0) }
                if start < whole.count { pending = Array(whole[start...]) }
            } else {
                start = receive(bytes)
                if start < bytes.count { pending = Array(bytes[start...]) }
            }
        }

        /// Takes whole frames; gives where the rest begins.
        private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
            var start = 0
            var isAcknowledgementDue = false
            while bytes.count - start >= 7 {
                let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
                guard bytes.count - start >= 4 + length else { break }
                // A map, its first key 0, and the kind, which is less than 24.
                switch bytes[start + 6] {
                case 2:
                    changeByteCount += length
                    let frame = UnsafeRawBufferPointer(rebasing: bytes[start..<start + 4 + length])
                    batches.append(delivered.number(of: frame))
                    isAcknowledgementDue = true
                case 7: answer(bytes[start + 4..<start + 4 + length])
                case 23: downloadDoneCount += 1
                default: break
                }
                start += 4 + length
            }
            if isAcknowledgementDue {
                link?.send(Frame.encode(.acknowledge(UInt64(batches.count)), hasChecksum: false))
            }
            return start
        }

        /// Answers a ping with its own number, as any other answers none.
        private func answer(_ payload: Slice<UnsafeRawBufferPointer>) {
            guard case .ping(let number)? = try? Message.decode(Array(payload)) else { return }
            link?.send(Frame.encode(.pong(number), hasChecksum: false))
        }

        func linkDrained(_ link: Link) {}

        func linkClosed(_ link: Link, _ reason: Link.Ending) {
            isOver = true
        }
    }

    extension SpaceSealer {
        /// Greets a relay over a link that is open, as a device that stays connected.
        func greet(on link: Link, of space: SpaceID, as replica: ReplicaID) throws {
            guard let binding = link.relayBinding else { throw BenchError.failed("no TLS") }
            let relayHello = RelayHello(
                space: space, replica: replica, features: .live, generation: generation,
                access: try access(on: binding))
            link.send(Frame.encode(.relayHello(relayHello), hasChecksum: false))
        }
    }
#endif

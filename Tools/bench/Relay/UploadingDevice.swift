#if Encryption
    import Core
    import Devices
    import Session
    import Transport

    /// A device without a store that uploads sealed versions made before, as fast as a relay acknowledges them.
    final class UploadingDevice: LinkDelegate {
        /// How many of the batches the relay has acknowledged: they are durable.
        private(set) var acknowledgedCount = 0
        /// Whether the relay has let it in and said that it has nothing for it.
        private(set) var isReady = false
        /// Why it cannot go on; nil if it can.
        private(set) var failure: String?
        /// How many batches it has.
        var batchCount: Int { frames.count }
        /// Whether all are acknowledged.
        var isDone: Bool { acknowledgedCount == frames.count }

        private var link: Link?
        private let space: SpaceID
        private let replica: ReplicaID
        private let sealer: SpaceSealer
        private var decoder = FrameDecoder(hasChecksum: false)
        private let frames: [[UInt8]]
        private var sentCount = 0

        /// Seals all that it is to upload.
        init(
            space: SpaceID, secret: SpaceSecret, batchCount: Int, versionCount: Int,
            bodyByteCount: Int
        ) throws {
            self.space = space
            let replica = ReplicaID(value: UInt128(SystemEnvironment.random()) << 64 | 1)
            let sealer = try SpaceSealer(secret, of: space)
            (self.replica, self.sealer) = (replica, sealer)
            let epoch = EpochID(value: SystemEnvironment.random())
            var counter: UInt64 = 0
            frames = try (0..<batchCount).map { _ in
                let changes = try (0..<versionCount).map { _ -> Change in
                    counter += 1
                    let id = UInt128(SystemEnvironment.random()) << 64 | UInt128(counter)
                    let clock = VersionVector(Dot(replica: replica, counter: counter))
                    let name = try sealer.relayName(
                        of: RecordName(.number(1), RecordID(value: id)))
                    let content = [UInt8](
                        repeating: UInt8(truncatingIfNeeded: counter), count: bodyByteCount)
                    return Change(
                        name, clock: clock, body: try sealer.seal(content, of: name, clock: clock))
                }
                let through = Checkpoint(epoch: epoch, sequence: counter)
                return Frame.encode(
                    .changes(ChangeBatch(changes: changes, through: through)), hasChecksum: false)
            }
        }

        /// Speaks to a relay over a link that is open.
        func start(on link: Link) throws {
            self.link = link
            link.start(self)
            try sealer.greet(on: link, of: space, as: replica)
        }

        /// Begins to upload.
        func go() { send() }

        func close() { link?.close() }

        private func send() {
            while sentCount < frames.count,
                sentCount - acknowledgedCount < WireLimits.windowBatchCount
            {
                link?.send(frames[sentCount])
                sentCount += 1
            }
        }

        func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
            decoder.append(bytes)
            do {
                while let message = try decoder.next() {
                    switch message {
                    case .acknowledge(let count):
                        acknowledgedCount = Int(count)
                        send()
                    case .downloadDone: isReady = true
                    case .ping(let number):
                        link.send(Frame.encode(.pong(number), hasChecksum: false))
                    case .error(let error): failure = "\(error)"
                    default: break
                    }
                }
            } catch {
                failure = "\(error)"
            }
        }

        func linkDrained(_ link: Link) {}

        func linkClosed(_ link: Link, _ reason: Link.Ending) {
            if !isDone { failure = failure ?? "the relay has ended the session" }
        }
    }
#endif

import Transport

#if Encryption
    import Core
    import DeviceTestSupport
    import Devices
    import Glibc
    import Storage
    import Testing

    @Suite("An invitation that waits", .timeLimit(.minutes(30)))
    struct WaitingInvitationTests {
        private static let zeros = [UInt8](repeating: 0, count: PairingCode.keyByteCount)

        @Test("all copies of a code lose the key when one is wiped")
        func wiped() throws {
            let key = [UInt8](1...16)
            let code = try #require(
                PairingCode(
                    meeting: HostAndPort(host: "r", port: 1), key: key,
                    pin: [UInt8](repeating: 3, count: 10)))
            let (copy, typed) = (code, try PairingCode(parsing: code.text))
            #expect(copy == typed && copy.key == key)
            code.wipe()
            #expect(copy.key == Self.zeros)
            #expect(typed.key == key, "what the other device typed is its own")
            #expect(copy != typed)
        }

        @Test("the key of a code is gone when its invitation has ended")
        func ended() throws {
            let folder = TemporaryStores()
            try folder.create("a").close()
            let device = try Device.open(
                in: folder.path("a"), schema: TemporaryStores.schema, options: StoreOptions())
            defer {
                device.close()
                for name in ["keyring", "keyring.lock", "device.key"] {
                    unlink("\(folder.path("a"))/\(name)")
                }
            }
            let invitation = try device.pairing.invite(
                at: [.device(HostAndPort(host: "127.0.0.1", port: 1))])
            let code = invitation.code
            #expect(code.key != Self.zeros)
            #expect(PairingSocket.isAny(in: folder.path("a")) == false)
            try invitation.open()
            #expect(PairingSocket.isAny(in: folder.path("a")))
            #expect(code.key != Self.zeros)
            invitation.loop.schedule(after: .zero) { invitation.stop() }
            #expect(try invitation.run() == .over(.stopped))
            #expect(code.key == Self.zeros)
            #expect(code.text.isEmpty && code.drawnText.isEmpty)
            #expect(PairingSocket.isAny(in: folder.path("a")) == false)
        }

        @Test(
            "nowhere in this program's memory is the key of a code left once its invitation has ended"
        )
        func nothingLeft() throws {
            let folder = TemporaryStores()
            try folder.create("a").close()
            let device = try Device.open(
                in: folder.path("a"), schema: TemporaryStores.schema, options: StoreOptions())
            defer {
                device.close()
                for name in ["keyring", "keyring.lock", "device.key"] {
                    unlink("\(folder.path("a"))/\(name)")
                }
            }
            // The key with all bits changed, so that the search itself leaves no copy.
            var mask: [UInt8] = []
            do {
                let invitation = try device.pairing.invite(
                    at: [.device(HostAndPort(host: "127.0.0.1", port: 1))])
                var key = invitation.code.key
                mask = key.map { ~$0 }
                for index in key.indices { key[index] = 0 }
                _ = (invitation.code.text, invitation.code.drawnText)
                #expect(try Self.copies(of: mask) > 0, "while it waits it is there")
                try invitation.open()
                invitation.loop.schedule(after: .zero) { invitation.stop() }
                #expect(try invitation.run() == .over(.stopped))
                #expect(try Self.copies(of: mask) == 0)
            }
            #expect(try Self.copies(of: mask) == 0)
        }

        /// How many times bytes, given with all bits changed, are in the memory that this process may write.
        private static func copies(of mask: [UInt8]) throws -> Int {
            let maps = try #require(fopen("/proc/self/maps", "r"))
            defer { fclose(maps) }
            let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            defer { close(memory) }
            try #require(memory >= 0)
            var areas: [(start: Int, end: Int)] = []
            var line = [CChar](repeating: 0, count: 4096)
            while fgets(&line, Int32(line.count), maps) != nil {
                let words = String(
                    decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self
                )
                .split(separator: " ")
                let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                guard bounds.count == 2, words[1].hasPrefix("rw"),
                    words.last?.hasPrefix("/") == false
                else { continue }
                areas.append((bounds[0], bounds[1]))
            }
            let chunkCount = 1 << 20
            let room = UnsafeMutableRawPointer.allocate(byteCount: chunkCount, alignment: 16)
            defer { room.deallocate() }
            var count = 0
            for area in areas {
                // The areas overlap by less than the bytes, so that none is seen twice.
                for start in stride(from: area.start, to: area.end, by: chunkCount - mask.count + 1)
                {
                    let wanted = min(chunkCount, area.end - start)
                    let found = pread(memory, room, wanted, off_t(start))
                    if found > 0 { count += Self.count(mask, in: room, byteCount: found) }
                    explicit_bzero(room, chunkCount)
                }
            }
            return count
        }

        private static func count(
            _ mask: [UInt8], in bytes: UnsafeRawPointer, byteCount: Int
        ) -> Int {
            // Memory is full of zeros: of a key that begins with one, a byte that is rare is looked for.
            let rare = mask.firstIndex { ~$0 > 0x7f && ~$0 != 0xff } ?? 0
            var (count, offset) = (0, rare)
            while offset < byteCount,
                let hit = memchr(bytes + offset, Int32(~mask[rare]), byteCount - offset)
            {
                let start = UnsafeRawPointer(hit) - bytes - rare
                guard start + mask.count <= byteCount else { break }
                let found = UnsafeRawBufferPointer(start: bytes + start, count: mask.count)
                if zip(found, mask).allSatisfy({ $0 == ~$1 }) { count += 1 }
                offset = start + rare + 1
            }
            return count
        }
    }
#endif

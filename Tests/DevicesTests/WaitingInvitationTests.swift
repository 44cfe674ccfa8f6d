import Transport

#if Encryption
    import Core
    import DeviceTestSupport
    import Devices
    import Glibc
    import Storage
    import Testing

    @Suite("An invitation that waits", .timeLimit(.minutes(1)))
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
            #expect(PairingSocket.isAny(in: folder.path("a")) == false)
        }
    }
#endif

#if Encryption
    import Core
    import Crypto
    import Testing

    @Suite("Keys of pairing")
    struct PairingKeysTests {
        @Test("both sides derive the same keys and digits, and another request gives others")
        func agreement() throws {
            let code = try PairingCodeKeys((0..<16).map { UInt8($0) })
            let (inviter, joiner) = (
                try OneTimeKey(.random(count: 32)), try OneTimeKey(.random(count: 32))
            )
            func keys(
                _ own: OneTimeKey, _ peer: OneTimeKey, _ request: UInt8
            ) throws -> PairingRequestKeys {
                try PairingRequestKeys(
                    own: own, peer: peer.shown, inviter: inviter.shown, code,
                    request: [UInt8](repeating: request, count: 32))
            }
            let hash = [UInt8](repeating: 5, count: 32)
            let (one, other) = (try keys(inviter, joiner, 1), try keys(joiner, inviter, 1))
            let sealed = try one.seal(handover: [1, 2, 3], beside: [[4], [5]])
            #expect(try other.open(handover: sealed[...], beside: [[4], [5]]) == [1, 2, 3])
            #expect(throws: SealFault.self) {
                try other.open(handover: sealed[...], beside: [[4], [6]])
            }
            #expect(throws: SealFault.self) {
                try other.open(answer: sealed[...], beside: [[4], [5]])
            }
            let digits = try one.digits(request: hash, answer: hash)
            #expect(digits.count == PairingRequestKeys.digitCount)
            #expect(try other.digits(request: hash, answer: hash) == digits)
            #expect(try keys(inviter, joiner, 2).digits(request: hash, answer: hash) != digits)
        }

        @Test("what is wiped is zero, and what was wiped seals nothing")
        func wiping() throws {
            let secret = SecretBytes([1, 2, 3])
            #expect(!secret.isZero)
            secret.wipe()
            #expect(secret.isZero)
            let code = try PairingCodeKeys((0..<16).map { UInt8($0) })
            let sealed = try code.seal(request: [1], beside: [[2]])
            code.wipeBinding()
            #expect(code.isBindingWiped)
            #expect(try code.open(request: sealed[...], beside: [[2]]) == [1])
            code.wipe()
            #expect(throws: SealFault.self) { try code.open(request: sealed[...], beside: [[2]]) }
            let key = try OneTimeKey(.random(count: 32))
            key.wipe()
            #expect(key.isWiped)
            #expect(throws: SealFault.self) {
                try PairingRequestKeys(
                    own: key, peer: OneTimeKey(.random(count: 32)).shown, inviter: key.shown, code,
                    request: [UInt8](repeating: 0, count: 32))
            }
        }

        @Test("a device's signature holds for its key and message alone")
        func signatures() throws {
            let (device, other) = (try DeviceCertificate(), try DeviceCertificate())
            let key = try device.publicKey()
            #expect(try DeviceSignature.fingerprint(of: key) == device.fingerprint)
            let signature = try device.sign([1, 2, 3])
            #expect(DeviceSignature.isValid(signature, of: [1, 2, 3], key: key))
            #expect(!DeviceSignature.isValid(signature, of: [1, 2, 4], key: key))
            #expect(!DeviceSignature.isValid(signature, of: [1, 2, 3], key: try other.publicKey()))
            for index in signature.indices {
                var changed = signature
                changed[index] ^= 1
                #expect(!DeviceSignature.isValid(changed, of: [1, 2, 3], key: key))
            }
            #expect(!DeviceSignature.isValid(signature, of: [1, 2, 3], key: key + [0]))
            #expect(!DeviceSignature.isValid([], of: [], key: []))
        }
    }
#endif

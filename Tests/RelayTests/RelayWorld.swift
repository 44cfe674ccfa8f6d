import Core
import Glibc
import Relay
import Session
import Storage
import TestSupport

/// The stores on which the tests of exchanges run.
enum RelayStoreKind: CaseIterable, Sendable {
    case sqlite, memory
}

/// A temporary folder, seeded chance and made-up keys for the tests of the relay.
final class RelayWorld: RelayAccess {
    static let space = SpaceID(value: 7)
    static let verifier = [UInt8](repeating: 0xaa, count: 32)

    let folder: String
    private let kind: RelayStoreKind
    private var memories: [String: MemoryRelayDisk] = [:]
    var now = Instant(milliseconds: 1_000)
    private var random: SplitMix64
    /// How often a proof was looked at.
    private(set) var verifyCount = 0

    init(_ kind: RelayStoreKind = .sqlite, seed: UInt64 = 1) {
        self.kind = kind
        random = SplitMix64(seed: seed)
        var template = Array("/tmp/tandem-relay-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/tmp" }
            return String(cString: made)
        }
    }

    deinit {
        var pid = pid_t()
        let words = ["rm", "-rf", folder]
        var arguments = words.map { strdup($0) } + [nil]
        if posix_spawnp(&pid, "rm", nil, nil, &arguments, nil) == 0 {
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        for argument in arguments { free(argument) }
    }

    var environment: StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: { 1_800_000_000_000 }, drawBits: { self.random.next() },
            machine: "machine", boot: "boot")
    }

    var options: RelayOptions {
        var options = RelayOptions(folder: folder)
        options.allowsPlainSpaces = true
        return options
    }

    func node(_ change: (inout RelayOptions) -> Void = { _ in }) throws -> RelayEngine {
        var options = options
        change(&options)
        return RelayEngine(
            options: options, access: self, store: try relayStore(options.folder, options.limits))
    }

    /// Opens a store of the world's kind; it has the data of an earlier one in that folder.
    func relayStore(_ folder: String, _ limits: RelayLimits) throws -> any SynchronousRelayStore {
        switch kind {
        case .sqlite:
            return try SQLiteRelayStore(in: folder, limits: limits, environment: environment)
        case .memory:
            let disk = memories[folder] ?? MemoryRelayDisk()
            memories[folder] = disk
            return MemoryRelayStore(
                on: disk, limits: limits, drawBits: { [unowned self] in random.next() })
        }
    }

    func store(_ space: SpaceID = RelayWorld.space) throws -> SQLiteRelaySpace {
        if let store = try SQLiteRelaySpace.open(space, in: folder, environment: environment) {
            return store
        }
        return try SQLiteRelaySpace.make(
            space, generation: 0, verifier: [], in: folder, environment: environment)
    }

    // MARK: Proofs

    static func proof(
        _ verifier: [UInt8], _ space: SpaceID, _ generation: UInt32, _ binding: [UInt8]?
    ) -> [UInt8] {
        let text = "proof \(space) \(generation)"
        let hash = SipHash().hash64(verifier + Array(text.utf8) + (binding ?? []))
        return (0..<64).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0 % 8))) }
    }

    static func succession(
        _ verifier: [UInt8], _ space: SpaceID, _ generation: UInt32, _ successor: [UInt8]
    ) -> [UInt8] {
        proof(verifier + successor, space, generation, nil)
    }

    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool {
        verifyCount += 1
        return proof == Self.proof(verifier, space, generation, channelBinding)
    }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool {
        succession == Self.succession(verifier, space, generation, successor)
    }
}

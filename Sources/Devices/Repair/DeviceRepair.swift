import CLinux
import Core
import Glibc
import Storage
import Transport

/// Something in a store or beside it that is not as it should be and can be repaired without loss.
public enum RepairStep: Hashable, Sendable {
    /// An index does not fit; the finding.
    case indexes(StoreFinding)
    /// The sums that are kept along do not fit; the finding.
    case sums(StoreFinding)
    /// A file with keys may be read by others.
    case exposedKey(path: String, mode: UInt32)
    /// Another file of the store may be read or written by others.
    case exposedFile(path: String, mode: UInt32)
    /// Others can take files out of the store's folder and put their own in their place.
    case exposedFolder(path: String, mode: UInt32)
    /// A program that was killed left something behind.
    case leftover(path: String)

    /// The code of what is wrong, for programs.
    public var code: String {
        switch self {
        case .indexes: "indexes"
        case .sums: "sums"
        case .exposedKey: "exposed-key"
        case .exposedFile: "exposed-file"
        case .exposedFolder: "exposed-folder"
        case .leftover: "leftover"
        }
    }

    /// Whether something is wrong with the store or its keys, rather than left behind.
    public var isDamage: Bool {
        if case .leftover = self { false } else { true }
    }
}

/// The results of examining a store and the files beside it.
public struct Examination: Sendable {
    /// The store's summary of itself.
    package let summary: StoreSummary
    /// The problems in the store's file.
    public let findings: [StoreFinding]
    /// Changes that could not be read, and are deferred.
    package let deferred: [Store.Deferred]
    /// The replica ids that it gave up.
    package let identityChanges: [IdentityChange]
    /// The possible repairs.
    public let repairs: [RepairStep]

    /// How many changes could not be read, and are kept for a newer version.
    public var deferredCount: Int { deferred.count }

    /// Whether nothing is damaged or deferred.
    public var isClean: Bool {
        findings.isEmpty && deferred.isEmpty && !repairs.contains(where: \.isDamage)
    }
}

/// Looks for damage, and repairs it.
package struct DeviceRepair {
    /// A file that is still being written is younger; seconds.
    private static let leftoverAgeMin: Int64 = 3600

    private let device: Device

    init(_ device: Device) { self.device = device }

    private var store: Store { device.store }
    private var folder: String { device.folder }

    /// Looks at the store and at what lies beside it; a damaged store is closed, as nobody else may read it while
    /// it is rescued.
    ///
    /// - Parameter now: the wall clock's time; milliseconds since 1970-01-01 UTC.
    /// - Throws: `StoreFault.corrupt` if something is damaged that cannot be repaired in place.
    package func examine(now: Int64) throws -> Examination {
        do {
            let findings = try store.examine()
            if let worst = Self.worst(of: findings) {
                throw StoreFault.corrupt(path: device.paths.database, detail: "\(worst)")
            }
            return Examination(
                summary: try store.summary(), findings: findings, deferred: try store.allDeferred(),
                identityChanges: try store.identityChanges(),
                repairs: Self.repairs(findings) + device.modes.exposed()
                    + leftovers(now))
        } catch {
            device.close()
            throw error
        }
    }

    /// Returns the problems in the store's file, whether they can be repaired in place or not.
    package func findings() throws(StoreFault) -> [StoreFinding] { try store.examine() }

    /// Returns the damage that cannot be repaired in place; nil if there is none.
    package func damage() -> String? {
        do {
            return Self.worst(of: try store.examine()).map { "\($0)" }
        } catch {
            guard case .corrupt(_, let detail) = error else { return nil }
            return detail
        }
    }

    /// Repairs all that was found, after a snapshot.
    ///
    /// - Throws: a `StoreFault`; `modeNotChanged`.
    package func perform(_ repairs: [RepairStep]) throws {
        if repairs.isEmpty { return }
        try device.copies.takeSnapshot()
        for repair in repairs { try perform(repair) }
    }

    /// Repairs one thing; all of it is better done after a snapshot.
    ///
    /// - Throws: a `StoreFault`; `modeNotChanged`.
    package func perform(_ repair: RepairStep) throws {
        switch repair {
        case .indexes: try store.rebuildIndexes()
        case .sums: try store.recount()
        case .exposedKey(let path, _), .exposedFile(let path, _):
            guard chmod(path, 0o600) == 0 else { throw DeviceFault.modeNotChanged(path: path) }
        case .exposedFolder(let path, let mode):
            guard chmod(path, mode & ~StoreModes.othersWrite) == 0 else {
                throw DeviceFault.modeNotChanged(path: path)
            }
        case .leftover(let path):
            StoreScratch.remove(path)
            unlink(path)
        }
    }

    // MARK: The store

    private static func worst(of findings: [StoreFinding]) -> StoreFinding? {
        findings.first { $0.repair == nil }
    }

    private static func repairs(_ findings: [StoreFinding]) -> [RepairStep] {
        let indexes = findings.first { $0.repair == .indexes }.map { RepairStep.indexes($0) }
        let sums = findings.first { $0.repair == .sums }.map { RepairStep.sums($0) }
        return [indexes, sums].compactMap(\.self)
    }

    // MARK: Files beside it

    private func leftovers(_ now: Int64) -> [RepairStep] {
        let scratch = StoreScratch.prefix
        let disk = SystemEnvironment.environment().disk
        var paths = disk.fileNames(in: folder).filter { name in
            if name.hasPrefix(scratch) {
                return Int32(name.dropFirst(scratch.count)).map { !isRunning($0) } ?? false
            }
            return name.hasSuffix(".new")
        }.map { folder + "/" + $0 }
        let snapshots = device.paths.snapshots
        paths += disk.fileNames(in: snapshots).filter { name in
            [".new", "-journal", "-wal", "-shm"].contains { name.hasSuffix($0) }
        }.map { snapshots + "/" + $0 }
        return paths.sorted().filter { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return false }
            return Int64(status.st_mtim.tv_sec) < now / 1000 - Self.leftoverAgeMin
                || path.hasPrefix(folder + "/" + scratch)
        }.map { .leftover(path: $0) }
    }

    private func isRunning(_ process: pid_t) -> Bool {
        kill(process, 0) == 0 || errno != ESRCH
    }
}

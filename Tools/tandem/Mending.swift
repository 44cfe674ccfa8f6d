import Crypto
import Devices
import Glibc
import Storage
import ToDo

/// Finds what `doctor --fix` can mend.
struct Mending {
    let place: Workplace
    private static let titleCountMax = 20
    /// A file that is still being written is younger; seconds.
    private static let leftoverAgeMin = 3600

    private var store: Store { place.store }
    private var folder: String { place.store.paths.folder }

    /// All of it; what was found in the store's files among it.
    func all(_ findings: [StoreFinding]) throws -> [Mendable] {
        try files(findings) + exposedKeys() + leftovers() + twins() + orphans()
    }

    // MARK: The store

    private func files(_ findings: [StoreFinding]) -> [Mendable] {
        let store = store
        var found: [Mendable] = []
        if let first = findings.first(where: { $0.repair == .indexes }) {
            found.append(
                Mendable(words: "an index does not fit: \(first)", isDamage: true, question: nil) {
                    try store.rebuildIndexes()
                    return "all indexes were made anew"
                })
        }
        if let first = findings.first(where: { $0.repair == .sums }) {
            found.append(
                Mendable(
                    words: "the sums kept along do not fit: \(first)", isDamage: true,
                    question: nil
                ) {
                    try store.recount()
                    return "the sums were counted anew; sync, so that other devices are compared"
                })
        }
        return found
    }

    // MARK: Files beside it

    private func exposedKeys() -> [Mendable] {
        let keys = [DeviceCertificate.path(in: folder), Keyring.path(in: folder)]
        return keys.compactMap { path in
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
            let mode = String(status.st_mode & 0o777, radix: 8)
            return Mendable(
                words:
                    "\(path) may be read by others (mode \(mode)); if somebody was able to, revoke "
                    + "this device on another one", isDamage: true, question: nil
            ) {
                guard chmod(path, 0o600) == 0 else {
                    throw CommandFailure(.inputOutput, "the mode of \(path) cannot be changed")
                }
                return "\(path) is for its owner alone now"
            }
        }
    }

    private func leftovers() -> [Mendable] {
        let scratch = StoreScratch.prefix
        let now = place.now / 1000
        var paths = names(in: folder).filter { name in
            if name.hasPrefix(scratch) {
                return Int32(name.dropFirst(scratch.count)).map { !isRunning($0) } ?? false
            }
            return name.hasSuffix(".new")
        }.map { folder + "/" + $0 }
        let snapshots = store.paths.snapshots
        paths += names(in: snapshots).filter { name in
            [".new", "-journal", "-wal", "-shm"].contains { name.hasSuffix($0) }
        }.map { snapshots + "/" + $0 }
        return paths.sorted().compactMap { path in
            var status = stat()
            guard stat(path, &status) == 0,
                Int64(status.st_mtim.tv_sec) < now - Int64(Self.leftoverAgeMin)
                    || path.hasPrefix(folder + "/" + scratch)
            else { return nil }
            return Mendable(
                words: "left behind by a program that was killed: \(path)", isDamage: false,
                question: nil
            ) {
                StoreScratch.remove(path)
                unlink(path)
                return "\(path) was removed"
            }
        }
    }

    private func isRunning(_ process: pid_t) -> Bool {
        kill(process, 0) == 0 || errno != ESRCH
    }

    private func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    // MARK: To-dos

    private func twins() throws -> [Mendable] {
        let todos = place.todos
        let twins = try todos.twins()
        if twins.isEmpty { return [] }
        let count = twins.reduce(0) { $0 + $1.others.count }
        let titles = twins.map { ($0.title, " \($0.others.count + 1) times") }
        return [
            Mendable(
                words: "\(Echo.count(count)) there more than once:" + list(titles),
                isDamage: false,
                question: "Put \(Echo.count(count)) in the trash that others are the same as?"
            ) {
                let count = try todos.unite(twins)
                return "\(Echo.count(count)) went to the trash, the oldest of each stays with "
                    + "what the others had; to take that back: tandem undo"
            }
        ]
    }

    private func orphans() throws -> [Mendable] {
        let todos = place.todos
        let orphans = try todos.orphans()
        if orphans.isEmpty { return [] }
        let titles = orphans.map { (ToDoMapping.item($0).shownTitle, "") }
        return [
            Mendable(
                words: "\(Echo.count(orphans.count)) part of one that is deleted or not here:"
                    + list(titles), isDamage: false,
                question:
                    "Make to-dos of their own of \(orphans.count)? What is not here may still "
                    + "come with a sync."
            ) {
                let count = try todos.free(orphans)
                return "\(Echo.count(count)) no part of anything now; to take that back: "
                    + "tandem undo"
            }
        ]
    }

    private func list(_ titles: [(title: String, more: String)]) -> String {
        var lines = titles.prefix(Self.titleCountMax).map {
            "\n    \($0.title.shownInLine)\($0.more)"
        }
        if titles.count > Self.titleCountMax {
            lines.append("\n    and \(titles.count - Self.titleCountMax) more")
        }
        return lines.joined()
    }
}

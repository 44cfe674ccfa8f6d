import Core
import Storage

/// How much is remembered of what clients were served.
package enum ServedLimits {
    /// The largest document that a client may put, in bytes.
    package static let documentByteCountMax = ICalendarLimits.folderFileByteCountMax

    /// How long a representation is kept once the client was served a newer one, in milliseconds: 180 days.
    package static let keptMillisecondsMax: Int64 = 180 * 86_400_000

    /// The most representations that are kept of one to-do for one client.
    package static let representationCountMax = 256

    /// The most bytes that the older representations of one to-do for one client have together.
    package static let representationByteCountMax = 1024 * 1024

    /// The most names of properties that are remembered of one client, as those that it has sent.
    package static let propertyCountMax = 512

    /// The longest name of a resource, in bytes.
    package static let nameByteCountMax = 255

    /// The most to-dos that have a name of a client's, or a UID that another to-do was put under.
    package static let aliasCountMax = 10_000

    /// The most entity tags of one condition that are looked at.
    package static let tagCountMax = 64

    /// The most pending to-dos that come again which are looked at for one whose next occurrence a client has made.
    static let repeatingCountMax = 500

    /// The most changed occurrences of one document, and the most occurrences that one of them is behind.
    static let occurrenceCountMax = 500
}

/// The texts that one client was given of one to-do, and those that it put; local metadata of this device.
struct ServedMemory: Equatable {
    /// A text that the client was served.
    struct Representation: Equatable {
        /// The text's own name, which stands in it.
        let digest: UInt64
        /// The entity tag.
        let tag: String
        /// When the client was first served it; milliseconds since 1970.
        let time: Int64
        /// The writes that it shows.
        let clock: VersionVector
        /// How many bytes it has; those longer than a document that can be put are not kept themselves.
        let byteCount: Int

        var isKept: Bool { byteCount <= ServedLimits.documentByteCountMax }
    }

    /// A text that the client put.
    struct OwnText: Equatable {
        /// The representation that the text named; nil if it named none.
        var base: UInt64?
        /// The list that it was put into.
        var list: String?
        /// The writes that its author had seen, without those of the author.
        var seen: VersionVector
        /// The writes that came of it and of what the author put before, as far as they still matter.
        var dots: [Dot]
        /// The occurrence that the text stands for since it went on to the next date; nil as long as it did not.
        var follower: UInt128?
    }

    /// The representations, the latest last.
    var representations: [Representation] = []
    /// The last text of the client that named no representation.
    var plain: OwnText?
    /// The last one that named one.
    var named: OwnText?
    /// The writes that were there when the client was told that the to-do is gone; nil if it was not.
    var gone: VersionVector?
    /// The writes by which the client moved it to other lists, as far as the record still has them.
    var moves: [Dot] = []
    /// The top-level project of the list that it was moved to last; nil for the inbox.
    var movedList: String?

    /// The representation that was served last.
    var last: Representation? { representations.last }

    /// The client's last text that named a representation, or the last one that named none.
    func own(isNamed: Bool) -> OwnText? { isNamed ? named : plain }

    /// Takes note that the client's texts are in another list from now on: in that of a top-level project, nil for the inbox.
    mutating func moveLists(to list: String?) {
        movedList = list
        plain?.list = list
        named?.list = list
    }

    /// All writes that came of the client.
    var dots: Set<Dot> { Set((plain?.dots ?? []) + (named?.dots ?? []) + moves) }

    // MARK: As a local metadata

    private static let version: UInt8 = 1

    /// The memory as bytes: what is gone, moves and their list, two texts of the client with five parts each, and five for each representation.
    var bytes: [UInt8] {
        var parts = MetadataParts(version: Self.version)
        parts.add(gone.map(MetadataParts.bytes))
        parts.add(MetadataParts.bytes(moves))
        parts.add(movedList.map { Array($0.utf8) })
        for own in [plain, named] {
            parts.add(own.map { MetadataParts.bytes($0.seen) })
            parts.add(own.map { MetadataParts.bytes($0.dots) })
            parts.add(own?.base.map { MetadataParts.bytes(UInt128($0)) })
            parts.add(own?.list.map { Array($0.utf8) })
            parts.add(own?.follower.map { MetadataParts.bytes($0) })
        }
        for known in representations {
            parts.add(MetadataParts.bytes(UInt128(known.digest)))
            parts.add(Array(known.tag.utf8))
            parts.add(MetadataParts.bytes(UInt128(UInt64(bitPattern: known.time))))
            parts.add(MetadataParts.bytes(known.clock))
            parts.add(MetadataParts.bytes(UInt128(known.byteCount)))
        }
        return parts.bytes
    }

    init() {}

    /// Reads what `bytes` wrote; nil for anything else.
    init?(bytes: [UInt8]) {
        guard let parts = MetadataParts.read(bytes, version: Self.version), parts.count >= 13,
            (parts.count - 13) % 5 == 0, let moves = parts[1].flatMap(MetadataParts.dots)
        else { return nil }
        func word(_ part: [UInt8]?) -> UInt64? {
            part.map { UInt64(truncatingIfNeeded: MetadataParts.number($0[...])) }
        }
        func own(_ start: Int) -> OwnText? {
            guard let seen = parts[start].flatMap(MetadataParts.vector),
                let dots = parts[start + 1].flatMap(MetadataParts.dots)
            else { return nil }
            return OwnText(
                base: word(parts[start + 2]),
                list: parts[start + 3].map { String(decoding: $0, as: UTF8.self) }, seen: seen,
                dots: dots, follower: parts[start + 4].map { MetadataParts.number($0[...]) })
        }
        gone = parts[0].flatMap(MetadataParts.vector)
        self.moves = moves
        movedList = parts[2].map { String(decoding: $0, as: UTF8.self) }
        (plain, named) = (own(3), own(8))
        for start in stride(from: 13, to: parts.count, by: 5) {
            guard let digest = word(parts[start]), let tag = parts[start + 1],
                let time = word(parts[start + 2]),
                let clock = parts[start + 3].flatMap(MetadataParts.vector),
                let count = word(parts[start + 4])
            else { return nil }
            representations.append(
                Representation(
                    digest: digest, tag: String(decoding: tag, as: UTF8.self),
                    time: Int64(bitPattern: time), clock: clock,
                    byteCount: Int(truncatingIfNeeded: count)))
        }
    }
}

extension ServedMemory {
    /// Remembers a representation as the one that was served last.
    ///
    /// - Returns: those that are forgotten by it.
    mutating func remember(_ new: Representation) -> [Representation] {
        if last == new { return [] }
        let same = representations.first { $0.digest == new.digest && $0.tag == new.tag }
        representations.removeAll { $0.digest == new.digest }
        representations.append(same ?? new)
        return trim(at: new.time)
    }

    /// Forgets the representations that are over a limit.
    private mutating func trim(at time: Int64) -> [Representation] {
        var forgotten: [Representation] = []
        var byteCount = 0
        var count = 0
        // From the latest on: each is kept for some time after the next newer one was served.
        var kept: [Representation] = []
        for (index, known) in representations.enumerated().reversed() {
            let isLast = index == representations.count - 1
            count += 1
            if !isLast { byteCount = byteCount.plus(known.isKept ? known.byteCount : 0) }
            let age = isLast ? 0 : time.minus(representations[index + 1].time)
            let isOver =
                count > ServedLimits.representationCountMax
                || byteCount > ServedLimits.representationByteCountMax
                || age > ServedLimits.keptMillisecondsMax
            if isOver { forgotten.append(known) } else { kept.append(known) }
        }
        representations = kept.reversed()
        return forgotten
    }
}

/// The namespaces of the local metadata with the memory of one client.
struct ServedNamespaces {
    /// Memories by the to-do's id.
    let memories: String
    /// Texts by the to-do's id and the digest, or `plain` or `named`.
    let texts: String
    /// Facts about the client itself.
    let facts: String

    init(_ client: ServedClient) {
        memories = "served\n\(client.identifier)"
        texts = "served-texts\n\(client.identifier)"
        facts = "served-client\n\(client.identifier)"
    }

    var all: [String] { [memories, texts, facts] }

    static func name(_ id: RecordID) -> String { UUIDText.text(id.value) }

    static func textName(_ id: RecordID, _ digest: UInt64) -> String {
        "\(name(id)) \(ServedText.digits(of: digest))"
    }

    static func textName(_ id: RecordID, isNamed: Bool) -> String {
        "\(name(id)) \(isNamed ? "named" : "plain")"
    }

    /// The entry with the names of the properties that the client has sent, one a line.
    static let properties = "properties"
}

extension ServedToDos {
    func memory(_ id: RecordID) throws(StoreFault) -> ServedMemory? {
        try todos.store.localMetadata(named: ServedNamespaces.name(id), in: namespaces.memories)
            .flatMap { ServedMemory(bytes: $0) }
    }

    func text(_ id: RecordID, _ digest: UInt64) throws(StoreFault) -> [UInt8]? {
        try todos.store.localMetadata(
            named: ServedNamespaces.textName(id, digest), in: namespaces.texts)
    }

    func ownText(_ id: RecordID, isNamed: Bool) throws(StoreFault) -> [UInt8]? {
        try todos.store.localMetadata(
            named: ServedNamespaces.textName(id, isNamed: isNamed), in: namespaces.texts)
    }

    func keep(
        _ memory: ServedMemory, of id: RecordID, _ transaction: Transaction
    ) throws(StoreFault) {
        try transaction.setLocalMetadata(
            memory.bytes, named: ServedNamespaces.name(id), in: namespaces.memories)
    }

    /// The names of the properties and components that the client has sent so far.
    func sentProperties() throws(StoreFault) -> Set<String> {
        let bytes = try todos.store.localMetadata(
            named: ServedNamespaces.properties, in: namespaces.facts)
        let text = String(decoding: bytes ?? [], as: UTF8.self)
        return Set(text.split(separator: "\n").map { String($0) })
    }

    /// Remembers which properties the client has sent.
    func noteProperties(
        _ names: Set<String>, besides known: Set<String>, _ transaction: Transaction
    ) throws(StoreFault) {
        let new = names.subtracting(known).sorted()
        let all = known.sorted() + new.prefix(max(0, ServedLimits.propertyCountMax - known.count))
        if all.count == known.count { return }
        try transaction.setLocalMetadata(
            Array(all.joined(separator: "\n").utf8), named: ServedNamespaces.properties,
            in: namespaces.facts)
    }
}

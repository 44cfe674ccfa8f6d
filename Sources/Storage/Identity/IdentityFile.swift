import Core

/// The identity of a store when it was last opened or closed: replica, file and machine.
///
/// A copy of the folder brings the identity file along, but not the inode, birth or change time of the files it
/// speaks of. Source: Protocol/5-Session.md, "Replica identity".
struct IdentityFile: Hashable {
    var replica: ReplicaID
    var epoch: EpochID
    /// The epoch that is about to begin, or the same.
    var next: EpochID
    /// The replica's counter when the identity file was written.
    var counter: UInt64
    var machine: String
    var boot: String
    /// Device, inode and birth time of the database file.
    var file: String
    /// The change time of the database file when the last process closed it; nil while it is open.
    var sealed: String?
    /// Why the store is about to take the id that is named, or has just taken it; nil for any other id.
    var taking: CloneSuspicion?

    /// The identity file as text, a line a fact.
    var text: String {
        [
            "tandem-identity 1\nreplica ", replica.hexadecimal, "\nepoch ", epoch.description,
            "\nnext ",
            next.description, "\ncounter ", String(counter), "\nmachine ", machine, "\nboot ", boot,
            "\nfile ", file, "\nsealed ", sealed ?? "no", "\nmark ", mark, "\ntaking ",
            taking?.rawValue ?? "no", "\n",
        ].joined()
    }

    /// Tells this identity file from every other one that was put in place; drawn by chance each time.
    var mark = "none"

    init(
        replica: ReplicaID, epoch: EpochID, next: EpochID, counter: UInt64, machine: String,
        boot: String, file: String, sealed: String?
    ) {
        self.replica = replica
        self.epoch = epoch
        self.next = next
        self.counter = counter
        self.machine = machine
        self.boot = boot
        self.file = file
        self.sealed = sealed
    }

    /// Reads such a text; nil if it is anything else.
    init?(text: [UInt8]) {
        let lines = IdentityFileLines(text)
        func fact(_ name: StaticString) -> String? { lines.rest(after: name) }
        guard fact("tandem-identity") == "1",
            let replica = fact("replica").flatMap({ ReplicaID(uuidText: $0) }),
            let epoch = fact("epoch").flatMap({ UInt64($0, radix: 16) }),
            let next = fact("next").flatMap({ UInt64($0, radix: 16) }),
            let counter = fact("counter").flatMap({ UInt64($0) }), let machine = fact("machine"),
            let boot = fact("boot"), let file = fact("file"), let sealed = fact("sealed")
        else { return nil }
        self.init(
            replica: replica, epoch: EpochID(value: epoch), next: EpochID(value: next),
            counter: counter, machine: machine, boot: boot, file: file,
            sealed: sealed == "no" ? nil : sealed)
        taking = fact("taking").flatMap { CloneSuspicion(rawValue: $0) }
        mark = fact("mark") ?? "none"
    }
}

/// How far an identity file that was put in place is on the disk.
enum IdentityFileFlush: Hashable {
    /// It is there whole.
    case whole
    /// Its name is there, and the former identity file is not. A power cut may leave an identity file that cannot be
    /// read: it raises a clone suspicion as one that says "open" does.
    case name
    /// Nothing is known of it.
    case none
}

/// The lines of an identity file or a lock file that are not empty, found in one go.
///
/// Every opening and closing of a store reads such files several times.
struct IdentityFileLines {
    private let text: [UInt8]
    /// Where each begins and ends; of no type that the runtime has to make first.
    private var lineEnds: [(start: Int, end: Int)] = []

    init(_ text: [UInt8]) {
        self.text = text
        lineEnds.reserveCapacity(16)
        var start = 0
        for index in text.indices where text[index] == UInt8(ascii: "\n") {
            if index > start { lineEnds.append((start, index)) }
            start = index + 1
        }
        if start < text.count { lineEnds.append((start, text.count)) }
    }

    /// The lines, in order; what is no UTF-8 is repaired.
    var all: [String] { lineEnds.map { string(in: $0.start..<$0.end) } }

    /// The rest of the first line that begins with a word and a space; nil if there is none.
    func rest(after word: StaticString) -> String? {
        word.withUTF8Buffer { word in
            for (start, end) in lineEnds where end - start > word.count {
                guard text[start + word.count] == UInt8(ascii: " "),
                    text[start..<start + word.count].elementsEqual(word)
                else { continue }
                return string(in: start + word.count + 1..<end)
            }
            return nil
        }
    }

    private func string(in range: Range<Int>) -> String {
        text.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
    }
}

/// The identity of a file among all others, and of its present state among earlier ones.
///
/// Both are only ever compared with their like.
package struct FileIdentity: Hashable, Sendable {
    /// Device, inode and birth time.
    package let file: String
    /// When bytes, name, owner or permissions were changed last.
    package let changed: String

    /// A file as it is.
    package init(file: String, changed: String) {
        self.file = file
        self.changed = changed
    }
}

import Core

/// Who a store was when it was last opened or closed, and which file on which machine that was.
///
/// A copy of the folder brings the stamp along, but not the inode, birth or change time of the files it
/// speaks of. Source: Protocol/5-Session.md, "Who one is".
struct IdentityStamp: Hashable {
    var replica: ReplicaID
    var epoch: EpochID
    /// The epoch that is about to begin, or the same.
    var next: EpochID
    /// The replica's counter when the stamp was written.
    var counter: UInt64
    var machine: String
    var boot: String
    /// Device, inode and birth time of the database file.
    var file: String
    /// The change time of the database file when the last process closed it; nil while it is open.
    var sealed: String?

    /// The stamp as text, a line a fact.
    var text: String {
        """
        tandem-stamp 1
        replica \(replica.hexadecimal)
        epoch \(epoch)
        next \(next)
        counter \(counter)
        machine \(machine)
        boot \(boot)
        file \(file)
        sealed \(sealed ?? "no")
        mark \(mark)

        """
    }

    /// Tells this stamp from every other one that was put in place; drawn by chance each time.
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
        let lines = StampLines(text)
        func fact(_ name: StaticString) -> String? { lines.rest(after: name) }
        guard fact("tandem-stamp") == "1",
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
        mark = fact("mark") ?? "none"
    }
}

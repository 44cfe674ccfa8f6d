/// Bytes that are no protocol, or only just are, with what is the matter.
enum BadBytes {
    typealias Example = (name: String, hex: String)

    static let values: [Example] = [
        ("cut: nothing", ""), ("cut: a head", "19 01"), ("cut: a text", "64 4d 69"),
        ("cut: a tagged value", "82 01"), ("more than one value", "00 00"),
        ("a head longer than needed", "18 17"), ("a number longer than needed", "fa 3f800000"),
        ("another NaN", "f9 7e01"), ("an indefinite text", "7f 61 61 ff"),
        ("an integer beyond 64 bits", "1b 8000000000000000"),
        ("text that is not UTF-8", "62 c3 28"),
        ("a surrogate in text", "63 ed a0 80"), ("a value of 256 KiB and a byte", "5a 00 04 00 01"),
        ("a bare list", "81 00"), ("a bare map", "a0"), ("a bare tag", "c1 00"),
        ("a simple value", "e0"), ("a reserved head", "1c"),
        ("a day beyond 32 bits", "82 02 1a 80000000"),
        ("a reference to 15 bytes", "82 03 82 01 4f 000000000000000000000000000000"),
        ("a reference without a collection", "82 03 50 \(zeros)"),
        ("a reference of three parts", "82 03 83 01 50 \(zeros) 00"),
        ("an unknown kind, keys out of order", "82 09 a2 02 00 01 00"),
        ("an unknown kind, nested too deep", "82 09 81 81 81 81 81 81 81 81 00"),
        ("an unknown kind, nested as deep as may be", "82 09 81 81 81 81 81 81 81 00"),
    ]

    /// Beside a clock of two replicas with counters 3 and 2.
    static let bodies: [Example] = [
        ("cut: nothing", ""), ("no collection", "80"), ("no write", "81 01"),
        ("a place beyond the clock", "82 01 84 02 00 05 a1 02 00"),
        ("a dot before the first", "82 01 84 00 03 05 a1 02 00"),
        ("writes out of order", "83 01 84 01 00 05 a1 02 00 84 00 00 05 a1 02 00"),
        ("a dot twice", "83 01 84 00 00 05 a1 02 00 84 00 00 05 a1 03 00"),
        ("fields out of order", "82 01 84 00 00 05 a2 03 00 02 00"),
        ("a field twice", "82 01 84 00 00 05 a2 02 00 02 01"),
        ("a longer text name before a shorter one", "82 01 84 00 00 05 a2 62 6161 00 61 62 00"),
        ("an empty name", "82 01 84 00 00 05 a1 60 00"),
        ("a field number beyond 32 bits", "82 01 84 00 00 05 a1 1b 0000000100000000 00"),
        ("null as an element", "82 01 84 00 00 05 a1 82 04 f6 f5"),
        ("no field", "82 01 84 00 00 05 a0"), ("no bit", "82 01 83 00 00 00"),
        ("a list that bits could say", "82 01 83 00 00 82 02 03"),
        ("a single value left out", "82 01 84 00 00 05 a1 02 f7"),
        ("said not to be recovered", "82 01 85 00 00 05 a1 02 00 f4"),
        ("a write of six parts", "82 01 86 00 00 05 a1 02 00 f5 00"),
        ("a clock beyond the record's", "82 01 84 00 00 05 a1 00 82 04 82 00 04"),
        ("a clock with a zero", "82 01 84 00 00 05 a1 00 82 04 82 00 00"),
        ("a clock out of order", "82 01 84 00 00 05 a1 00 82 04 84 01 01 00 01"),
        ("a clock in another field than deleted", "82 01 84 00 00 05 a1 02 82 04 82 00 01"),
        ("a clock for an element", "82 01 84 00 00 05 a1 82 04 61 78 82 04 82 00 01"),
        ("a byte behind the body", "82 01 84 00 00 05 a1 02 00 00"),
    ]

    static let batches: [Example] = [
        ("changes: no list of changes", "a3 00 02 01 40 02 80"),
        ("changes: no table of replicas", "a3 00 02 02 80 03 80"),
        ("changes: no table of collections", "a3 00 02 01 40 03 80"),
        (
            "changes: a table of 15 bytes",
            "a4 00 02 01 4f 000000000000000000000000000000 02 80 03 80"
        ),
        ("changes: a replica twice", "a4 00 02 01 5820 \(zeros) \(zeros) 02 80 03 80"),
        ("changes: a collection twice", "a4 00 02 01 40 02 82 01 01 03 80"),
        ("changes: collections out of order", "a4 00 02 01 40 02 82 61 61 01 03 80"),
        (
            "changes: a collection that the table has not",
            "\(table) 84 01 50 \(zeros) 82 00 01 40"
        ),
        ("changes: three of four parts", "\(table) 83 00 50 \(zeros) 82 00 01"),
        ("changes: an empty clock", "\(table) 84 00 50 \(zeros) 80 40"),
        (
            "changes: a place beyond the table",
            "\(table) 84 00 50 \(zeros) 82 01 01 40"
        ),
        ("changes: a counter of zero", "\(table) 84 00 50 \(zeros) 82 00 00 40"),
        (
            "changes: a counter beyond 63 bits",
            "\(table) 84 00 50 \(zeros) 82 00 1b 8000000000000000 40"
        ),
        ("changes: none deferred", "\(batch) 06 80"),
        ("changes: one deferred that is not there", "\(batch) 06 81 01"),
        ("changes: one deferred twice", "\(batch) 06 82 00 00"),
    ]

    static let messages: [Example] = [
        ("cut: nothing", ""), ("no kind", "a0"), ("a list", "81 00"),
        ("cut: a ping", "a2 00 07 01"),
        ("a ping without its number", "a1 00 07"), ("keys out of order", "a3 00 07 02 00 01 05"),
        ("a key twice", "a3 00 07 01 05 01 05"), ("a byte behind a bye", "a1 00 09 00"),
        ("an unknown key is passed over", "a3 00 07 01 05 18 63 82 01 a0"),
        ("an unknown kind below 128", "a1 00 18 7f"),
        ("an unknown kind from 128 on", "a2 00 19 1000 01 60"),
        ("a kind that is a text", "a1 00 61 61"),
        ("a hello of versions 2 to 3 may hold anything", "a3 00 01 01 82 02 03 02 61 61"),
        ("a hello without a space", "a2 00 01 01 82 01 01"),
        ("a hello of versions upside down", "a2 00 01 01 82 02 01"),
        ("a hello of an unknown policy", "\(hello) 03 07 04 50 \(zeros) 05 82 01 00 08 00"),
        ("an error of an unknown side is of both", "a5 00 0a 01 01 02 60 03 09 04 60"),
        ("a part past its body's end", "\(part) 04 03 05 02 06 42 0102"),
        ("a part of nothing", "\(part) 04 03 05 02 06 40"),
        ("a part of a body beyond 72 MiB", "\(part) 04 1a 04800001 05 00 06 41 00"),
        ("a part said not to be deferred", "\(deferredPart) f4"),
        ("a statement's entry that is not ahead", "\(end) 81 84 50 \(zeros) 05 50 \(zeros) 05"),
        (
            "a statement out of order",
            "\(end) 82 83 50 \(zeros) 05 50 \(zeros) 83 50 \(zeros) 05 50 \(zeros)"
        ),
        ("remembered: an epoch said twice", "a2 00 0e 01 85 f6 05 06 07 05"),
        ("remembered: a sequence without an epoch", "a2 00 0e 01 85 f6 00 06 07 f6"),
        ("a relay hello of versions 2 to 3 may hold anything", "a3 00 14 01 82 02 03 02 61 61"),
        ("a relay hello without a space", "a2 00 14 01 82 01 01"),
        ("a relay hello with a relay and no checkpoint", "\(relayHello) 06 50 \(zeros)"),
        ("a relay hello with a key and no proof", "\(relayHello) 08 41 01"),
        ("a relay hello with a key that is too long", "\(relayHello) 08 58 41 \(zeros)"),
        ("a standing with an empty list", "a3 00 17 01 82 03 00 02 80"),
        (
            "a standing with a row twice",
            "a3 00 17 01 82 03 00 02 88 50 \(zeros) f6 01 40 50 \(zeros) f6 02 40"
        ),
        (
            "a standing with digests behind an entry",
            "a3 00 17 01 82 03 00 02 88 50 \(zeros) 50 \(zeros) 01 40 50 \(zeros) f6 02 40"
        ),
        ("a standing with half a row", "a3 00 17 01 82 03 00 02 82 50 \(zeros) f6"),
        ("an upload with an empty list", "a3 00 16 01 82 03 00 02 80"),
    ]

    /// Contents that are no entry.
    static let summaryRows: [Example] = [
        ("nothing", ""), ("cut", "83 05"),
        ("digests in place of an entry", "82 50 \(zeros) 50 \(zeros)"),
        ("a byte behind an entry", "83 05 50 \(zeros) 05 00"),
        ("half an incarnation", "84 05 50 \(zeros) 05 81 01"),
        ("less seen than vouched for", "83 05 50 \(zeros) 04"),
        ("an entry of nothing", "83 00 50 \(zeros) 00"),
    ]

    /// Contents that are no digests.
    static let summaryDigests: [Example] = [
        ("an entry in place of digests", "83 05 50 \(zeros) 05"),
        ("digests of a wrong length", "82 50 \(zeros) 41 00"),
    ]

    private static let relayHello =
        "a7 00 14 01 82 01 01 02 50 \(zeros) 03 50 \(zeros) 04 00 05 00"

    private static let zeros = String(repeating: "0", count: 32)
    private static let hello = "a7 00 01 01 82 01 01 02 50 \(zeros)"
    private static let part = "a7 00 05 01 01 02 50 \(zeros) 03 82 50 \(zeros) 01"
    private static let deferredPart =
        "a8 00 05 01 01 02 50 \(zeros) 03 82 50 \(zeros) 01 04 03 05 00 06 42 0102 07"
    private static let table = "a4 00 02 01 50 \(zeros) 02 81 01 03"
    private static let batch = "a5 00 02 01 50 \(zeros) 02 81 01 03 84 00 50 \(zeros) 82 00 01 40"
    private static let end = "a3 00 04 01 82 01 02 02"
}

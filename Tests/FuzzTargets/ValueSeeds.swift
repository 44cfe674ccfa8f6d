import Core

/// Values of each kind, as canonical bytes and as texts, and some that are none.
enum ValueSeeds {
    static let all = canonical + texts + faults

    private static let values: [Value] = [
        .null, .bool(true), .int(-7), .double(0.5), .text("milk"), .bytes([1, 2]),
        .instant(1_795_239_247_000), .day(20_780), .elided,
        .reference(RecordName(.number(1), RecordID(value: 7))),
        .reference(RecordName(.text("list"), RecordID(value: 7))),
        .unknown([0x82, 0x18, 0x63, 0x01]),
    ]

    private static let canonical: [FuzzSeed] = values.enumerated().map { index, value in
        FuzzSeed("values", "canonical-\(index)", [0, 0] + value.canonicalBytes)
    }

    private static let texts: [FuzzSeed] = values.enumerated().compactMap { index, value in
        guard let text = value.textForm, let kind = ValueKind.allCases.firstIndex(of: value.kind)
        else { return nil }
        return FuzzSeed("values", "text-\(index)", [128 + UInt8(kind)] + Array(text.utf8))
    }

    /// A clock of which the third byte names the index, and bytes or texts that are refused.
    private static let faults: [FuzzSeed] =
        [
            ("clock", [1, 2, 5, 6, 0x82, 4, 0x84, 0, 3, 1, 6]),
            ("clock-alone", [0, 0, 0x82, 4, 0x80]),
            ("clock-odd", [1, 2, 5, 6, 0x82, 4, 0x81, 0]),
            ("clock-unsorted", [1, 2, 5, 6, 0x82, 4, 0x84, 1, 3, 0, 3]),
            ("cut", [0, 0]), ("map", [0, 0, 0xa0]),
            ("day-far", [0, 0, 0x82, 2, 0x1b, 1, 0, 0, 0, 0, 0, 0, 0]),
            ("reference-short", [0, 0, 0x82, 3, 0x81, 1]),
            ("collection", [0, 0, 0x63, 0x61, 0x62, 0x63]),
        ].map { FuzzSeed("values", $0.0, $0.1) }
        + [
            ("no-slash", 9, "#1"), ("no-number", 9, "#x/00000000-0000-0000-0000-000000000007"),
            ("no-collection", 9, "=/00000000-0000-0000-0000-000000000007"),
            ("other-collection", 9, "?1/00000000-0000-0000-0000-000000000007"),
            ("not-as-shown", 2, "+7"), ("no-kind", 0, "null"), ("no-bytes", 6, "0"),
        ].map { FuzzSeed("values", $0.0, [128 + $0.1] + Array($0.2.utf8)) }
}

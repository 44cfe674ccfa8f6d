import Core

/// Talks about a mailbox of pairing: with a relay, and with whoever serves a store.
enum MailboxSeeds {
    static let all = relayed + strangers

    private static let relayed: [FuzzSeed] = {
        func talk(_ name: String, _ steps: [[UInt8]]) -> FuzzSeed {
            FuzzSeeds.relayTalk("mailbox-" + name, greets: false, isNarrow: true, steps)
        }
        let (made, joined): ([UInt8], [UInt8]) = ([0, 243, 1, 1], [1, 243, 1, 0])
        var later = MailboxOpening(id: 1, isMaking: true)
        (later.versionMin, later.versionMax) = (200, 201)
        let frame = Frame.encode(.mailbox(later))
        return [
            talk("of-an-address", [made, [1, 243, 2, 1]]),
            talk("beyond-all", [made, [0, 15, 1], [0, 243, 2, 1], [0, 15, 2], [0, 243, 0, 1]]),
            talk("of-a-crowd", [made, joined, [2, 243, 1, 0]]),
            talk("many-items", [made, joined] + (5...7).map { [0, 244, 1, $0] }),
            talk("same-item", [made, [0, 244, 1, 5], [0, 244, 1, 5]]),
            talk("long-items", [made, [0, 244, 70] + [UInt8](repeating: 1, count: 70)]),
            talk("over", [made, joined, [0, 14, 1], [1, 12, 255], [1, 12, 255], [0, 10]]),
            talk("open-to-the-end", [made, [0, 12, 255], [0, 12, 255]]),
            talk("of-a-later-version", [[0, 9, UInt8(frame.count)] + frame]),
        ]
    }()

    /// Before a served store, without and with a program that waits with a code.
    private static let strangers: [FuzzSeed] = [
        ("refused", 6, [[4, 1]]),
        ("admitted", 0, [[0, 0, 0], [4, 3], [2]]),
        ("another-request", 0, [[0, 0, 0], [3, 2, 7, 7]]),
        ("nobody-waits", 0, [[0, 2, 1]]),
        ("leaves", 0, [[5]]),
        ("another-message", 0, [[0, 0, 0], [4, 3], [0, 1, 0]]),
        ("no-message", 0, [[7, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]),
        ("no-checksum", 0, [[7, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0]]),
        ("passed-on", 1, [[0, 1, 0], [9], [3, 2, 7, 7], [10, 3], [3, 1, 8], [11, 0]]),
        ("waiter-leaves", 1, [[0, 1, 0], [3, 1, 9], [9], [11, 0], [4, 1]]),
        ("waiter-is-gone", 1, [[0, 1, 0], [11, 1], [4, 1]]),
        ("too-much", 1, [[0, 1, 0], [9], [8, 16, 19]]),
        ("stranger-leaves", 1, [[0, 1, 0], [9], [10, 3], [11, 2]]),
    ].map { FuzzSeed("strangers", $0.0, [$0.1] + Array($0.2.joined())) }
}

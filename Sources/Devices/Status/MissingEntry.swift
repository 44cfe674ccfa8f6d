import Core
import Storage

/// Changes that a device has stated at a relay, and that the relay has not sent although it was read from its start.
package struct MissingEntry: Hashable, Sendable {
    /// The name of the device whose state summary has it.
    package let speaker: String
    /// The name of the device whose changes are missing.
    package let author: String
    /// Whether nobody else has so much of them, so that the summary may be false.
    package let isAlone: Bool

    /// All of them, each once; of relays as they are now, not of stores that a new secret has ended.
    package static func all(of device: Device) throws(StoreFault) -> [MissingEntry] {
        var found: [MissingEntry] = []
        let all = try device.store.missingChanges()
        if all.isEmpty { return found }
        let relays = Set(try PeerStatus.all(of: device).filter(\.isRelay).map(\.replica))
        for missing in all where relays.contains(missing.relay) {
            let entry = MissingEntry(
                speaker: try device.name(of: missing.speaker),
                author: try device.name(of: missing.author), isAlone: missing.isAlone)
            if !found.contains(entry) { found.append(entry) }
        }
        return found
    }

    /// The code, for programs.
    package var code: String { isAlone ? "stated-by-one" : "changes-missing" }

    /// In a few words, for one line.
    package var shortWords: String {
        let (speaker, author) = (
            VisibleText.escaped(speaker), VisibleText.escaped(author)
        )
        return isAlone
            ? "\(speaker) states changes of \(author) that no other device has"
            : "\(speaker) has changes of \(author) that did not come"
    }
}

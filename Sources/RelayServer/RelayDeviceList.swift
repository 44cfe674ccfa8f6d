import Core
import Crypto
import Glibc
import Relay
import Storage
import Transport

/// The devices of a relay, as its operator sees them.
package struct RelayDeviceList {
    /// A device of a space.
    package struct Entry: Sendable {
        /// The space.
        package let space: SpaceID
        /// The fingerprint of the device.
        package let fingerprint: Fingerprint
        /// The days on which it was let in first and last, in this generation; days since 1970-01-01 UTC.
        package let days: ClosedRange<Int64>
        /// Whether the operator has put it out.
        package let isPutOut: Bool

        /// A device as a relay remembers it.
        package init(
            space: SpaceID, fingerprint: Fingerprint, firstDay: Int64, lastDay: Int64,
            isPutOut: Bool
        ) {
            self.space = space
            self.fingerprint = fingerprint
            // A clock may have been set back in between.
            days = firstDay...max(firstDay, lastDay)
            self.isPutOut = isPutOut
        }

        /// The name by which an operator puts it out: SPACE/FINGERPRINT.
        package var name: String { "\(space.uuidText)/\(fingerprint)" }
        /// The first day, as ISO 8601 writes it.
        package var firstDate: String { Self.date(days.lowerBound) }
        /// The last day, as ISO 8601 writes it.
        package var lastDate: String { Self.date(days.upperBound) }

        /// The lines that tell of it.
        package var lines: [String] {
            [name, "  from \(firstDate) to \(lastDate)\(isPutOut ? ", put out" : "")"]
        }

        private static func date(_ day: Int64) -> String {
            var seconds = time_t(day * 86_400)
            var parts = tm()
            gmtime_r(&seconds, &parts)
            func digits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        }
    }

    /// Reads a name as `Entry.name` gives it; nil if it is none.
    package static func device(
        named name: String
    ) -> (space: SpaceID, fingerprint: Fingerprint)? {
        let parts = name.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let space = SpaceID(uuidText: parts[0]),
            let fingerprint = try? Fingerprint(parsing: String(parts[1]))
        else { return nil }
        return (space, fingerprint)
    }

    private let folder: String

    /// The devices of the relay in a folder; it may run.
    package init(in folder: String) {
        self.folder = folder
    }

    static var environment: StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: SystemEnvironment.wallMilliseconds,
            drawBits: SystemEnvironment.random, machine: SystemEnvironment.machine,
            boot: SystemEnvironment.boot)
    }

    /// All of them, by space and fingerprint.
    package func entries() throws -> [Entry] {
        var list = RelayPutOutList(in: folder)
        let out = try list.read()
        var entries: [Entry] = []
        for space in SQLiteRelaySpace.spaces(in: folder, environment: Self.environment) {
            let found = try SQLiteRelaySpace.look(
                at: space, in: folder, environment: Self.environment)
            for device in found?.devices ?? [] {
                guard let fingerprint = Fingerprint(bytes: device.fingerprint) else { continue }
                let isOut = out.contains {
                    $0.space == space && $0.fingerprint == device.fingerprint
                }
                entries.append(
                    Entry(
                        space: space, fingerprint: fingerprint, firstDay: device.firstDay,
                        lastDay: device.lastDay, isPutOut: isOut))
            }
        }
        return entries
    }

    /// Puts a device out of a space; a relay that runs ends its conversations within a second.
    ///
    /// - Throws: `RelayPutOutFault`; a `StoreFault`.
    package func putOut(_ fingerprint: Fingerprint, of space: SpaceID) throws {
        guard
            let found = try SQLiteRelaySpace.look(
                at: space, in: folder, environment: Self.environment)
        else { throw RelayPutOutFault.unknownSpace }
        guard found.devices.contains(where: { $0.fingerprint == fingerprint.bytes }) else {
            throw RelayPutOutFault.unknownDevice
        }
        var list = RelayPutOutList(in: folder)
        try list.add(
            RelayPutOut(
                space: space, generation: found.generation, fingerprint: fingerprint.bytes))
    }
}

/// The names of files and resources that hold one to-do.
enum ICalendarFileName {
    /// The ending of each.
    static let ending = ".ics"

    /// The longest UID that names a file, in bytes.
    private static let uidByteCountMax = 100

    /// The highest number behind an id.
    private static let numberMax = 9

    /// The names that the file of a to-do may have, the best first: the UID if that can be one, then the id.
    static func candidates(uid: String, id: UInt128) -> [String] {
        let own = UUIDText.text(id)
        let stems = (isName(uid) ? [uid] : []) + [own] + (2...numberMax).map { "\(own)-\($0)" }
        return stems.map { $0 + ending }
    }

    /// The ids of the to-dos of which `candidates` may have given a name, the likeliest first.
    static func identifiers(named name: String) -> [UInt128] {
        guard name.hasSuffix(ending) else { return [] }
        let stem = String(name.dropLast(ending.count))
        guard isName(stem) else { return [] }
        let parts = stem.split(separator: "-", omittingEmptySubsequences: false)
        let own = parts.count == 6 ? UUIDText.value(parts.prefix(5).joined(separator: "-")) : nil
        return [ICalendarNames.identifier(ofUID: stem)] + (own.map { [$0] } ?? [])
    }

    private static func isName(_ uid: String) -> Bool {
        !uid.isEmpty && uid.utf8.count <= uidByteCountMax
            && uid.utf8.first != UInt8(ascii: ".")
            && uid.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-_.@+".utf8.contains(byte)
                }
            }
    }
}

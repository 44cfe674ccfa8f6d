/// SQL by which its compiled form is found again.
///
/// All of them are this program's, nobody else chooses them: some of the bytes are enough to tell nearly all apart, and
/// hashing whole texts cost more than looking them up.
struct StatementText: Hashable {
    /// How many bytes at the end are hashed, with the length of the text.
    private static let hashedByteCount = 16

    let sql: String

    init(_ sql: String) {
        self.sql = sql
    }

    func hash(into hasher: inout Hasher) {
        var text = sql
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(
                bytes: UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(bytes).suffix(Self.hashedByteCount)))
        }
    }
}

/// What tells one file from every other, and one state of it from those before.
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

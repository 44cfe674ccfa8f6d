/// A file of a folder that holds one to-do a file.
package struct FolderFile: Sendable {
    /// What is in it.
    package enum Content: Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// What was there at the last look, as its stamp says.
        case asBefore
        /// What cannot be read; why, as half a sentence.
        case unreadable(String)
    }

    /// Its name inside of the folder.
    package var name: String
    /// What is in it.
    package var content: Content
    /// What tells whether it was changed since, without reading it; nil if that cannot be told yet.
    package var stamp: String?

    /// A file.
    package init(name: String, content: Content, stamp: String? = nil) {
        self.name = name
        self.content = content
        self.stamp = stamp
    }
}

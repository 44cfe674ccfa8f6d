/// What a disk held at one moment; cheap to take, as pages are shared until one of the two is written.
package struct DiskImage {
    /// One file of it.
    struct File {
        let path: String
        let inode: UInt64
        let birth: UInt64
        let changed: UInt64
        let content: PagedBytes
    }

    /// In the order of their paths.
    let files: [File]

    /// The paths of the files, in order.
    package var paths: [String] { files.map(\.path) }

    /// The bytes of a file; nil if there is no such file.
    package func bytes(_ path: String) -> [UInt8]? {
        files.first { $0.path == path }?.content.bytes
    }
}

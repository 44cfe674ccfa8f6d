/// A file as it would be written.
package struct FormatWriting: Sendable {
    /// The whole file.
    package var bytes: [UInt8]
    /// What the file does not say of the to-dos.
    package var losses: [FormatLoss]

    /// A file with what it leaves out.
    package init(_ bytes: [UInt8] = [], losses: [FormatLoss] = []) {
        self.bytes = bytes
        self.losses = losses
    }
}

/// What has to be done to a file, if it is still as it was read.
package struct FolderStep: Sendable, Equatable {
    /// The file's name.
    package var name: String
    /// What it held when it was read; nil if there was no such file.
    package var old: [UInt8]?
    /// What it is to hold; nil if it is to go.
    package var new: [UInt8]?

    /// What became of a step.
    package enum Outcome: Sendable {
        /// It was done; with the file's new stamp, if it can be told already.
        case done(stamp: String?)
        /// Somebody changed the file meanwhile: it was left alone, and is looked at again.
        case changedMeanwhile
        /// It failed; why, as half a sentence.
        case failed(String)
    }
}

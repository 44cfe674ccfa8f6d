/// What a look at a folder came to.
package struct FolderReport: Sendable {
    /// Why nothing was done.
    package enum Refusal: Sendable, Equatable {
        /// Too many files are gone for it to be meant: so many of so many whose to-dos are not.
        case gone(Int, of: Int)
        /// So many files would be removed only because the folder was for another project so far, or for
        /// all to-dos: nil.
        case narrowed(from: String?, fileCount: Int)
    }

    /// What was done to to-dos, and what is wrong.
    package var events: [FolderEvent] = []
    /// What is to be done to files, in order.
    package var steps: [FolderStep] = []
    /// What the steps are about, in their order.
    package var stepEvents: [FolderEvent] = []
    /// Why nothing at all was done; nil if something was.
    package var refusal: Refusal?
}

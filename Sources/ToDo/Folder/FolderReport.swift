/// What a look at a folder came to.
package struct FolderReport: Sendable {
    /// Too many files are gone for it to be meant.
    package struct Refusal: Sendable, Equatable {
        /// How many files are gone whose to-dos are not.
        package var goneCount: Int
        /// How many there were.
        package var count: Int
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

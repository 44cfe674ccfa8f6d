/// Something that is not as it should be and can be mended.
struct Mendable {
    /// What it is.
    let words: String
    /// Whether something is wrong with the store, rather than with what is in it.
    let isDamage: Bool
    /// What a person is asked before it is mended; nil if nobody has to be.
    let question: String?
    /// Mends it, and says what was done.
    let mend: () throws -> String
}

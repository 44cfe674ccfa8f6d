/// What can be expected of a device; `laptop`, `laptop and phone` or `everyone` comes before each.
package enum Claim: Hashable, Sendable {
    /// `shows milk title "Oat milk"`: the visible value.
    case shows(item: String, field: String, Literal)
    /// `shows milk tags shop, food`: exactly these elements, sorted; `shows milk tags empty`.
    case showsSet(item: String, field: String, elements: [String])
    /// `has milk alive`, `deleted`, `purged`, `missing`.
    case holds(item: String, ItemState)
    /// `has a conflict on milk title between "Oat milk" and "Soy milk"`; nil without `between`.
    /// The field `deleted` is the conflict of a delete against an edit, `wasDeleted`.
    case conflict(item: String, field: String, among: [Literal]?)
    /// `has no conflict on milk`.
    case noConflict(item: String)
    /// `has 2 conflicts`, `has no conflicts`.
    case conflictCount(Int)
    /// `lists 3 items`: those that are alive.
    case itemCount(Int)
    /// `has 1 item in the trash`.
    case trashCount(Int)
    /// `has 1 change set aside`.
    case parkedCount(Int)
    /// `has had 2 identities`: replica ids, the present one included.
    case identityCount(Int)
    /// `holds 2 versions of milk`: a relay, in the space of the story.
    case versionCount(item: String, Int)
    /// `has deletes held`, `has no deletes held`.
    case deletesHeld(Bool)
    /// `agrees`: the same records byte for byte, the same digest, the same knowledge.
    case agrees
    /// `knows all of phone`: every write that phone has integrated.
    case knows(String)
    /// `sent 0 changes in the last session`, of whichever session it took part in.
    case lastSessionChangeCount(Int)
    /// `exchanged at most 300 bytes in the last session`, both ways together.
    case lastSessionByteCountMax(Int)
}

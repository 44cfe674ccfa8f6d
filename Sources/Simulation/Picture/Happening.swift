/// What can happen in a moment.
package enum Happening: Hashable, Sendable {
    /// A step of the story begins; its words.
    case step(String)
    /// An edit was committed: what was done, and the record after it.
    case wrote(item: String, words: String, RecordGlimpse)
    /// An action was refused; why.
    case refused(String)
    /// A message left for another lane; messages are counted through the whole world.
    case sent(message: Int, to: Int, kind: String, byteCount: Int)
    /// A message arrived whole.
    case received(message: Int)
    /// A message was lost on the way; why.
    case lost(message: Int, String)
    /// What came in changed a record: what the device holds now.
    case merged(item: String, RecordGlimpse)
    /// A session with another lane ended; how, and whether it was in order.
    case sessionEnded(with: Int, String, isWell: Bool)
    /// The program started; whether the store took a new replica id, and why.
    case opened(newIdentity: String?)
    /// The program ended in order.
    case closed
    /// The program was killed.
    case crashed
    /// The machine lost power.
    case lostPower
    /// Something else befell the device, in words: a copy, a backup, a clock, a disk, the network.
    case befell(String)
    /// An expectation was looked at.
    case checked(String, isTrue: Bool)
    /// A promise was broken.
    case violated(String)
}

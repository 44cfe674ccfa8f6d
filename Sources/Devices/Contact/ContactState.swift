/// How things stand with a contact.
public enum ContactState: Hashable, Sendable {
    /// Nothing was tried yet, or this device was told to pause.
    case idle
    /// A connection is being made.
    case dialing
    /// A conversation is going on.
    case connected
    /// It will be tried again; why it ended, and after how many seconds.
    case waiting(why: String, seconds: Int)
    /// It ended in order, as it was meant to.
    case finished
    /// It ended for a cause that does not pass by itself; in words.
    case failed(String)
}

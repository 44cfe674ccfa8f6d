/// Whether a device uploads everything once more, from its first arrival number on.
enum WholeUpload: Sendable {
    /// What the relay was given is taken to be there.
    case notNeeded
    /// The relay remembers another past of this device: as soon as what is read now is sent.
    case due
    /// It has begun; no second time in a session.
    case begun
}

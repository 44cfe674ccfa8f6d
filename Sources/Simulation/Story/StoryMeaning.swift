import Core

/// What a line, or the claim at the end of one, says.
enum StoryMeaning {
    case title(String)
    case policy(DeletePolicy)
    case seed(UInt64)
    case lenient
    case meetingOnlyAtRelays
    case plain
    case brake(Int)
    case devices([DeviceTraits])
    case action(Action)
    case claim(Claim)
}

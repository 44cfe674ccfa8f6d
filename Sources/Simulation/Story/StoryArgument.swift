/// What was read for a slot.
enum StoryArgument {
    case name(String)
    case names([String]?)
    case groups([[String]])
    case traits(DeviceTraits)
    case claim(Claim)
    case settings([Setting])
    case value(Literal)
    case values([Literal])
    case elements([String])
    case text(String)
    case number(Int64)
    case day(Int32)
    case seed(UInt64)
}

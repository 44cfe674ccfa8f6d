/// The relations of `RELATED-TO` that a to-do has fields for.
enum ICalendarRelation {
    /// The to-do is a part of the other.
    case parent
    /// It waits for the other: `RELTYPE=DEPENDS-ON` of RFC 9253.
    case depends

    /// The parameter of a line for something that is waited for.
    static let dependsOn = ICalendarParameter("RELTYPE", ["DEPENDS-ON"])

    /// The relation of a line; nil for one of another kind, or to something that is named by no UID.
    init?(_ property: ICalendarProperty) {
        guard property["VALUE"].map({ ["UID", "TEXT"].contains($0.uppercased()) }) ?? true else {
            return nil
        }
        switch property["RELTYPE"]?.uppercased() ?? "PARENT" {
        case "PARENT": self = .parent
        case "DEPENDS-ON": self = .depends
        default: return nil
        }
    }
}

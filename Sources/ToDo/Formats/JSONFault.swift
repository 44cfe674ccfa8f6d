/// What is wrong with bytes that should be JSON.
struct JSONFault: Error, Equatable {
    enum Reason {
        case unexpectedByte
        case endsTooEarly
        case tooDeep
        case tooLong
        case badNumber
        case badText
        case repeatedName
    }

    var reason: Reason
    var byteOffset: Int
}

extension JSONFault.Reason {
    /// What is wrong, for the user.
    var words: String {
        switch self {
        case .unexpectedByte: "an unexpected character"
        case .endsTooEarly: "the text ends too early"
        case .tooDeep: "values are nested too deeply"
        case .tooLong: FormatLimits.entryTooLong
        case .badNumber: "a malformed number"
        case .badText: "a text that is not valid UTF-8 or has a bad escape"
        case .repeatedName: "a name stands twice in one object"
        }
    }
}

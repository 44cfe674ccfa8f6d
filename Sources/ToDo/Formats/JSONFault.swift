/// What is wrong with bytes that should be JSON.
struct JSONFault: Error, Equatable {
    enum Reason: String {
        case unexpectedByte = "an unexpected character"
        case endsTooEarly = "the text ends too early"
        case tooDeep = "values are nested too deeply"
        case badNumber = "a malformed number"
        case badText = "a text that is not valid UTF-8 or has a bad escape"
        case repeatedName = "a name stands twice in one object"
    }

    var reason: Reason
    var byteOffset: Int
}

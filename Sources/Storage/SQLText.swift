/// A piece of SQL and what is bound in it, in order.
struct SQLText: ExpressibleByStringInterpolation {
    private(set) var text: String
    private(set) var parameters: [RowCodec.Cell]

    init(stringLiteral text: String) {
        (self.text, parameters) = (text, [])
    }

    init(stringInterpolation: Interpolation) {
        (text, parameters) = (stringInterpolation.text, stringInterpolation.parameters)
    }

    /// Pieces one after the other.
    init(_ pieces: [SQLText], joinedBy separator: String) {
        text = pieces.map(\.text).joined(separator: separator)
        parameters = pieces.flatMap(\.parameters)
    }

    /// SQL with values in it, which are bound, and pieces, which bring what is bound in them.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var parameters: [RowCodec.Cell] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ piece: SQLText) {
            text += piece.text
            parameters += piece.parameters
        }

        /// A name or number that comes from the schema, never from a request.
        mutating func appendInterpolation(raw name: some CustomStringConvertible) {
            text += name.description
        }

        mutating func appendInterpolation(bound cell: RowCodec.Cell) {
            text += "?"
            parameters.append(cell)
        }
    }
}

/// A QR code in characters: one for two modules, one above the other.
package enum QRDrawing {
    /// The light margin that readers want, in modules.
    private static let margin = 4

    /// The lines of the drawing; nil if it would be wider than that.
    ///
    /// - Parameter isColoured: whether the screen can show black on white, whatever its own colours are;
    ///   else light modules are drawn in the colour of text, which fits dark screens.
    package static func lines(_ code: QRCode, columnMax: Int, isColoured: Bool) -> [String]? {
        let span = -margin..<(code.size + margin)
        guard span.count <= columnMax else { return nil }
        return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
            let cells = span.map { column in
                cell(code[column, row], code[column, row + 1], isColoured: isColoured)
            }
            let line = cells.joined()
            return isColoured ? "\u{1b}[38;5;16;48;5;231m\(line)\u{1b}[0m" : line
        }
    }

    /// - Parameter isColoured: whether ink is dark.
    private static func cell(_ upper: Bool, _ lower: Bool, isColoured: Bool) -> String {
        switch (upper == isColoured, lower == isColoured) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
    }
}

/// Numbers with the thing that is counted, in the singular where it is one.
package enum Counted {
    /// `1 item`, `2 items`, `1,000 identities`.
    ///
    /// - Parameter several: the plural, if it is not the singular and an `s`.
    package static func words(
        _ number: Int, _ one: String, _ several: String? = nil, isGrouped: Bool = false
    ) -> String {
        let digits = isGrouped ? grouped(number) : String(number)
        return digits + " " + (number == 1 ? one : several ?? one + "s")
    }

    /// `1,234,567`.
    package static func grouped(_ number: Int) -> String {
        var text = ""
        let digits = Array(String(number))
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0, digits[place - 1] != "-" { text += "," }
            text.append(digit)
        }
        return text
    }
}

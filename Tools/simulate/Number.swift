/// Numbers as people read them.
enum Number {
    /// `1,234,567`.
    static func grouped(_ number: Int) -> String {
        var text = ""
        let digits = Array(String(number))
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0, digits[place - 1] != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Sixteen digits.
    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// `12.3`.
    static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

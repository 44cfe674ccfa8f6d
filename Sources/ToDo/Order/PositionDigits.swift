/// Whole numbers as text that sorts by its bytes: a letter for the sign and the number of digits, then
/// digits of base 62.
enum PositionDigits {
    /// The digits, sorted by their bytes.
    static let all = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let digitCountMax = 11

    static func value(of byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte - 0x30)
        case 0x41...0x5a: Int(byte - 0x41) + 10
        case 0x61...0x7a: Int(byte - 0x61) + 36
        default: nil
        }
    }

    /// `a0` is 0, `Zz` is -1.
    static func bytes(_ number: Int64) -> [UInt8] {
        let isNegative = number < 0
        var rest = UInt64(bitPattern: isNegative ? ~number : number)
        var digits: [UInt8] = []
        repeat {
            let digit = Int(rest % 62)
            digits.append(all[isNegative ? 61 - digit : digit])
            rest /= 62
        } while rest > 0
        let length = UInt8(digits.count - 1)
        let head = isNegative ? UInt8(ascii: "Z") - length : UInt8(ascii: "a") + length
        return [head] + digits.reversed()
    }

    /// Takes a number from the beginning; nil if there is none, or not in the form that `bytes` writes.
    static func take(from bytes: inout ArraySlice<UInt8>) -> Int64? {
        guard let head = bytes.first else { return nil }
        let isNegative = head < UInt8(ascii: "a")
        guard value(of: head).map({ $0 > 9 }) == true else { return nil }
        let count =
            1 + Int(isNegative ? UInt8(ascii: "Z") - head : head - UInt8(ascii: "a"))
        let digits = bytes.dropFirst().prefix(count)
        guard count <= digitCountMax, digits.count == count else { return nil }
        var rest: UInt64 = 0
        for byte in digits {
            guard let digit = value(of: byte) else { return nil }
            let (product, isTooLarge) = rest.multipliedReportingOverflow(by: 62)
            let (sum, isOver) = product.addingReportingOverflow(
                UInt64(isNegative ? 61 - digit : digit))
            if isTooLarge || isOver || sum > UInt64(Int64.max) { return nil }
            rest = sum
        }
        let number = isNegative ? ~Int64(rest) : Int64(rest)
        guard self.bytes(number) == Array(bytes.prefix(count + 1)) else { return nil }
        bytes = bytes.dropFirst(count + 1)
        return number
    }
}

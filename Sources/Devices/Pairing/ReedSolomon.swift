/// The check words of a QR code: Reed-Solomon over GF(256), with 0x11d (ISO/IEC 18004, §7.5).
enum ReedSolomon {
    /// The remainder of the data, by the generator of that degree.
    static func checkWords(_ data: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        let divisor = generator(count)
        var rest = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for place in rest.indices { rest[place] ^= product(divisor[place], factor) }
        }
        return rest
    }

    /// The coefficients of (x - 1)(x - 2)(x - 4)…, without the leading one.
    private static func generator(_ degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in result.indices {
                result[place] = product(result[place], root)
                if place + 1 < degree { result[place] ^= result[place + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var sum: UInt8 = 0
        for bit in (0..<8).reversed() {
            let isOver = sum & 0x80 != 0
            sum <<= 1
            if isOver { sum ^= 0x1d }
            if right >> UInt8(bit) & 1 == 1 { sum ^= left }
        }
        return sum
    }
}

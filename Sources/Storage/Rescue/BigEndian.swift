/// Numbers in the bytes of a database file, most significant byte first; whoever reads has checked the place.
extension [UInt8] {
    func number16(at place: Int) -> Int {
        Int(self[place]) << 8 | Int(self[place + 1])
    }

    func number32(at place: Int) -> Int {
        number16(at: place) << 16 | number16(at: place + 2)
    }

    /// A number of variable length, of nine bytes at the most, that ends before `end`; moves `place` behind it.
    ///
    /// Source: sqlite.org/fileformat2.html, "varint".
    func variableNumber(at place: inout Int, end: Int) -> UInt64? {
        var result: UInt64 = 0
        for position in 0..<9 {
            guard place < end else { return nil }
            let byte = self[place]
            place += 1
            if position == 8 { return result << 8 | UInt64(byte) }
            result = result << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return result }
        }
        return nil
    }
}

/// A QR code of capital letters and digits, with error correction M (ISO/IEC 18004).
package struct QRCode: Sendable {
    /// The largest that is made; 93 modules wide, which is more than a screen of 80 columns shows.
    package static let versionMax = 20

    /// How many modules wide and high it is.
    package let size: Int
    private var isDark: [Bool]
    /// The modules that carry no data.
    private var isFixed: [Bool]
    private let version: Int

    /// Error correction M for the versions from 1 on: check words a block, and blocks.
    private static let checkWordCounts = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    private static let blockCounts = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
    ]
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// Makes the smallest code for the text; nil if it has other characters or is too long.
    package init?(_ text: String) {
        var values: [Int] = []
        for byte in text.utf8 {
            guard let value = Self.alphabet.firstIndex(of: byte) else { return nil }
            values.append(value)
        }
        let found = (1...Self.versionMax).first { version in
            4 + Self.countBits(version) + Self.bitCount(values.count)
                <= Self.dataWordCount(version) * 8
        }
        guard let version = found else { return nil }
        self.version = version
        size = 17 + 4 * version
        isDark = [Bool](repeating: false, count: size * size)
        isFixed = isDark
        drawPatterns()
        draw(Self.words(values, version))
        mask()
    }

    /// Whether a module is dark; those outside are light.
    package subscript(column: Int, row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return isDark[row * size + column]
    }

    // MARK: Words

    private static func countBits(_ version: Int) -> Int { version < 10 ? 9 : 11 }

    private static func bitCount(_ count: Int) -> Int { count / 2 * 11 + count % 2 * 6 }

    /// All words of a version, data and checks.
    private static func wordCount(_ version: Int) -> Int {
        var bits = (16 * version + 128) * version + 64
        if version > 1 {
            let count = version / 7 + 2
            bits -= (25 * count - 10) * count - 55
            if version > 6 { bits -= 36 }
        }
        return bits / 8
    }

    private static func dataWordCount(_ version: Int) -> Int {
        wordCount(version) - checkWordCounts[version - 1] * blockCounts[version - 1]
    }

    private static func words(_ values: [Int], _ version: Int) -> [UInt8] {
        var bits: [Bool] = []
        func add(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        add(0b0010, 4)
        add(values.count, countBits(version))
        for start in stride(from: 0, to: values.count, by: 2) {
            if start + 1 < values.count {
                add(values[start] * 45 + values[start + 1], 11)
            } else {
                add(values[start], 6)
            }
        }
        let capacity = dataWordCount(version) * 8
        add(0, min(4, capacity - bits.count))
        add(0, (8 - bits.count % 8) % 8)
        var filler = 0xec
        while bits.count < capacity {
            add(filler, 8)
            filler ^= 0xec ^ 0x11
        }
        let data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        return interleaved(data, version)
    }

    private static func interleaved(_ data: [UInt8], _ version: Int) -> [UInt8] {
        let blockCount = blockCounts[version - 1]
        let longCount = data.count % blockCount
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for block in 0..<blockCount {
            let isLong = block >= blockCount - longCount
            let end = start + data.count / blockCount + (isLong ? 1 : 0)
            blocks.append(data[start..<end])
            start = end
        }
        let checks = blocks.map {
            ReedSolomon.checkWords($0, count: checkWordCounts[version - 1])
        }
        var words: [UInt8] = []
        for index in 0...(data.count / blockCount) {
            for block in blocks where index < block.count {
                words.append(block[block.startIndex + index])
            }
        }
        for index in 0..<checkWordCounts[version - 1] { words += checks.map { $0[index] } }
        return words
    }

    // MARK: Modules

    private mutating func set(_ column: Int, _ row: Int, _ dark: Bool) {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return }
        isDark[row * size + column] = dark
        isFixed[row * size + column] = true
    }

    private mutating func drawPatterns() {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for across in -4...4 {
                for down in -4...4 {
                    let distance = max(abs(across), abs(down))
                    set(column + across, row + down, distance != 2 && distance != 4)
                }
            }
        }
        let indexes = alignmentPositions
        for (first, column) in indexes.enumerated() {
            for (second, row) in indexes.enumerated() {
                let corners = [(0, 0), (0, indexes.count - 1), (indexes.count - 1, 0)]
                if corners.contains(where: { $0 == (first, second) }) { continue }
                for across in -2...2 {
                    for down in -2...2 {
                        set(column + across, row + down, max(abs(across), abs(down)) != 1)
                    }
                }
            }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    private var alignmentPositions: [Int] {
        if version == 1 { return [] }
        let count = version / 7 + 2
        let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { size - 7 - step * $0 }.reversed()
    }

    /// Which correction and mask: M is 00.
    private mutating func drawFormat(mask: Int) {
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
        set(8, size - 8, true)
    }

    private mutating func drawVersion() {
        guard version > 6 else { return }
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1f25 }
        let bits = version << 12 | rest
        for index in 0..<18 {
            let (column, row) = (size - 11 + index % 3, index / 3)
            set(column, row, bits >> index & 1 == 1)
            set(row, column, bits >> index & 1 == 1)
        }
    }

    /// Fills the free modules in columns of two, up and down from the right.
    private mutating func draw(_ words: [UInt8]) {
        var bit = 0
        for pair in 0..<(size - 1) / 2 {
            let right = size - 1 - 2 * pair
            // The column of the timing pattern is passed over.
            let column = right <= 6 ? right - 1 : right
            for step in 0..<size {
                let row = pair % 2 == 0 ? size - 1 - step : step
                for column in [column, column - 1] {
                    guard !isFixed[row * size + column], bit < words.count * 8 else { continue }
                    isDark[row * size + column] = words[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
        }
    }

    // MARK: Masks

    private static func isMasked(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private mutating func apply(_ mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row * size + column] {
                if Self.isMasked(mask, column, row) { isDark[row * size + column].toggle() }
            }
        }
        drawFormat(mask: mask)
    }

    /// Takes the mask with the fewest misleading patterns.
    private mutating func mask() {
        let plain = self
        var best = (self, Int.max)
        for mask in 0..<8 {
            var candidate = plain
            candidate.apply(mask)
            let penalty = candidate.penalty
            if penalty < best.1 { best = (candidate, penalty) }
        }
        self = best.0
    }

    private var penalty: Int {
        var sum = 0
        for first in 0..<size {
            sum += Self.linePenalty((0..<size).map { self[$0, first] })
            sum += Self.linePenalty((0..<size).map { self[first, $0] })
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let colour = self[column, row]
                if self[column + 1, row] == colour, self[column, row + 1] == colour,
                    self[column + 1, row + 1] == colour
                {
                    sum += 3
                }
            }
        }
        let dark = isDark.count { $0 }
        return sum + abs(dark * 20 - isDark.count * 10) / isDark.count * 10
    }

    /// The modules that look like a corner's pattern, with its light margin on either side.
    private static let corner = [true, false, true, true, true, false, true]

    private static func linePenalty(_ line: [Bool]) -> Int {
        var sum = 0
        var run = 0
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
        for start in 0...line.count - 7 where line[start..<start + 7].elementsEqual(corner) {
            let before = line[max(start - 4, 0)..<start]
            let after = line[start + 7..<min(start + 11, line.count)]
            if !before.contains(true) { sum += 40 }
            if !after.contains(true) { sum += 40 }
        }
        return sum
    }
}

/// The check words of a QR code: Reed-Solomon over GF(256), with 0x11d (ISO/IEC 18004, §7.5).
enum ReedSolomon {
    /// The remainder of the data, by the generator of that degree.
    static func checkWords(_ data: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        let divisor = generator(count)
        var rest = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= product(divisor[index], factor) }
        }
        return rest
    }

    /// The coefficients of (x - 1)(x - 2)(x - 4)…, without the leading one.
    private static func generator(_ degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in result.indices {
                result[index] = product(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
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

/// A QR code in characters: one for two modules, one above the other.
package enum QRDrawing {
    /// The light margin that readers want, in modules.
    private static let margin = 4

    /// The lines of the drawing; nil if it would be wider than that.
    ///
    /// - Parameter isColoured: whether the lines will be shown in black on white, whatever the screen's own colours are;
    ///   else light modules are drawn in the colour of text, which fits dark screens.
    package static func lines(_ code: QRCode, columnMax: Int, isColoured: Bool) -> [String]? {
        let span = -margin..<(code.size + margin)
        guard span.count <= columnMax else { return nil }
        return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
            let cells = span.map { column in
                cell(code[column, row], code[column, row + 1], isColoured: isColoured)
            }
            return cells.joined()
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

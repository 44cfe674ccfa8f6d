/// Instants and days as text in UTC, both ways: in columns and wherever a value is written as text.
package enum MomentText {
    /// The earliest and the latest instant that has a text: years 0 to 9999.
    private static let instants = -62_167_219_200_000...253_402_300_799_999 as ClosedRange<Int64>
    /// The same in days.
    private static let days = -719_528...2_932_896 as ClosedRange<Int32>

    /// Whether an instant has a text.
    package static func holds(instant: Int64) -> Bool { instants.contains(instant) }

    /// `2026-11-27T10:00:00.000Z`; nil outside of the years 0 to 9999.
    package static func text(instant: Int64) -> String? {
        guard instants.contains(instant) else { return nil }
        let (days, rest) = floorDivision(instant, 86_400_000)
        return String(unsafeUninitializedCapacity: 24) { buffer in
            writeDate(Int32(days), to: buffer)
            buffer[10] = UInt8(ascii: "T")
            write(rest / 3_600_000, digits: 2, to: buffer, at: 11)
            buffer[13] = UInt8(ascii: ":")
            write(rest / 60_000 % 60, digits: 2, to: buffer, at: 14)
            buffer[16] = UInt8(ascii: ":")
            write(rest / 1000 % 60, digits: 2, to: buffer, at: 17)
            buffer[19] = UInt8(ascii: ".")
            write(rest % 1000, digits: 3, to: buffer, at: 20)
            buffer[23] = UInt8(ascii: "Z")
            return 24
        }
    }

    /// `2026-11-27`; nil outside of the years 0 to 9999.
    package static func text(day: Int32) -> String? {
        guard days.contains(day) else { return nil }
        return String(unsafeUninitializedCapacity: 10) { buffer in
            writeDate(day, to: buffer)
            return 10
        }
    }

    /// The instant or day that such a text stands for; nil for any other text.
    package static func value(_ text: String) -> Value? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == 10 || bytes.count == 24, bytes[4] == UInt8(ascii: "-"),
                let year = number(bytes, 0, 4), let month = number(bytes, 5, 2),
                let dayOfMonth = number(bytes, 8, 2), (1...12).contains(month)
            else { return nil }
            let day = self.day(year: year, month: month, dayOfMonth: dayOfMonth)
            if bytes.count == 10 { return .day(Int32(day)) }
            guard let hour = number(bytes, 11, 2), let minute = number(bytes, 14, 2),
                let second = number(bytes, 17, 2), let milli = number(bytes, 20, 3),
                bytes[23] == UInt8(ascii: "Z")
            else { return nil }
            return .instant(
                day * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000 + milli)
        }
    }

    private static func number(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int
    )
        -> Int64?
    {
        var result: Int64 = 0
        for index in start..<start + count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            result = result * 10 + Int64(digit)
        }
        return result
    }

    /// Source of the arithmetic: Howard Hinnant, "chrono-compatible low-level date algorithms".
    private static func day(year: Int64, month: Int64, dayOfMonth: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let (era, yearOfEra) = floorDivision(shifted, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func writeDate(_ day: Int32, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let (era, dayOfEra) = floorDivision(Int64(day) + 719_468, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        write(year, digits: 4, to: buffer, at: 0)
        buffer[4] = UInt8(ascii: "-")
        write(month, digits: 2, to: buffer, at: 5)
        buffer[7] = UInt8(ascii: "-")
        write(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, digits: 2, to: buffer, at: 8)
    }

    private static func write(
        _ value: Int64, digits: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        var value = value
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            buffer[index] = UInt8(ascii: "0") + UInt8(value % 10)
            value /= 10
        }
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

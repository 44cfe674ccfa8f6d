import Core
import TestSupport
import Testing

@Suite("Hybrid clock")
struct HybridClockTests {
    private static let now: Int64 = 1_790_000_000_000
    private static let in2001: Int64 = 978_307_200_000

    private func timestamp(_ milliseconds: Int64, _ count: UInt16 = 0) -> HybridTimestamp {
        HybridTimestamp(
            rawValue: HybridTimestamp(milliseconds: milliseconds).rawValue | UInt64(count))
    }

    @Test("a wall clock that is ahead of all that was seen is taken as it is")
    func wallAhead() {
        var clock = HybridClock(greatestSeen: timestamp(Self.now - 5, 9))
        #expect(clock.next(wallMilliseconds: Self.now) == timestamp(Self.now))
    }

    @Test("within one millisecond the count grows")
    func countGrows() {
        var clock = HybridClock()
        let readings = (0..<3).map { _ in clock.next(wallMilliseconds: Self.now) }
        #expect(readings == [timestamp(Self.now), timestamp(Self.now, 1), timestamp(Self.now, 2)])
    }

    @Test("a wall clock set back to 2001 goes on after what was seen")
    func wallIn2001() {
        var clock = HybridClock(greatestSeen: timestamp(Self.in2001 + 50, 3))
        #expect(clock.next(wallMilliseconds: Self.in2001) == timestamp(Self.in2001 + 50, 4))
    }

    @Test("a peer's clock drags at most a minute: 60 s are followed, a millisecond more is not")
    func driftIsLimited() {
        var clock = HybridClock(greatestSeen: timestamp(Self.now + 60_000))
        #expect(clock.next(wallMilliseconds: Self.now) == timestamp(Self.now + 60_000, 1))
        clock = HybridClock(greatestSeen: timestamp(Self.now + 60_001))
        #expect(clock.next(wallMilliseconds: Self.now) == timestamp(Self.now + 60_000, 1))
        clock = HybridClock(greatestSeen: timestamp(.max))
        #expect(clock.next(wallMilliseconds: Self.now) == timestamp(Self.now + 60_000, 1))
    }

    @Test("a store from the future, opened in 2001, gets readings of 2001 and a minute")
    func futureStoreIn2001() {
        var clock = HybridClock(greatestSeen: timestamp(Self.now))
        let first = clock.next(wallMilliseconds: Self.in2001)
        #expect(first == timestamp(Self.in2001 + 60_000, 1))
        #expect(clock.greatestSeen == timestamp(Self.now))
    }

    @Test("the count carries into the milliseconds")
    func countCarries() {
        var clock = HybridClock(greatestSeen: timestamp(Self.now, .max))
        #expect(clock.next(wallMilliseconds: Self.now) == timestamp(Self.now + 1))
    }

    @Test("the last timestamp of all has no successor and stays")
    func lastStays() {
        let last = HybridTimestamp(rawValue: .max)
        #expect(last.successor == last)
        var clock = HybridClock(greatestSeen: last)
        #expect(clock.next(wallMilliseconds: .max) == timestamp(.max, 1))
        #expect(clock.greatestSeen == last)
    }

    @Test("a wall clock before 1970 reads as 0", arguments: [-1, -978_307_200_000, Int64.min])
    func negativeWall(wall: Int64) {
        var clock = HybridClock()
        #expect(clock.next(wallMilliseconds: wall) == timestamp(0, 1))
        clock = HybridClock(greatestSeen: timestamp(500))
        #expect(clock.next(wallMilliseconds: -60_000) == timestamp(0, 1))
        #expect(HybridTimestamp(milliseconds: wall) == .zero)
    }

    @Test("milliseconds beyond 48 bits are clamped")
    func millisecondsAreClamped() {
        #expect(timestamp(.max).milliseconds == HybridTimestamp.millisecondsMax)
        #expect(timestamp(1 << 48).milliseconds == HybridTimestamp.millisecondsMax)
        #expect(timestamp((1 << 48) - 1).rawValue == 0xffff_ffff_ffff_0000)
    }

    @Test("while nothing drags, readings only grow, however the wall clock jumps")
    func readingsGrow() {
        var chance = SplitMix64(seed: 3)
        for _ in 0..<50 {
            var clock = HybridClock()
            var last = HybridTimestamp.zero
            var wall = Self.now
            for _ in 0..<200 {
                wall += Int64(chance.below(60_000)) - 30_000
                wall = max(wall, last.milliseconds - 59_000)
                let reading = clock.next(wallMilliseconds: wall)
                #expect(reading > last)
                last = reading
            }
        }
    }

    @Test("milliseconds and count are the two parts of the 64 bits")
    func partsOfTheBits() {
        let timestamp = HybridTimestamp(rawValue: 0x0123_4567_89ab_cdef)
        #expect(timestamp.milliseconds == 0x0123_4567_89ab)
        #expect(timestamp.count == 0xcdef)
    }
}

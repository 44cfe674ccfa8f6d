import Testing
import ToDo

@Suite("Hostile date phrases")
struct HostileDatePhraseTests {
    @Test(
        "no phrase takes long, whatever is repeated in it",
        .timeLimit(.minutes(30)),
        arguments: [
            "5pm ", "at 5 pm ", "+1d", "1d+", "day after ", "2 days before ", "5pm 1 ", "15-",
            "next ", "1h", "2026-12-01t", "p1d", "fri 5pm + 1d ", "on ", "at 5 pm + 1 d ",
        ])
    func repeated(part: String) throws {
        let zone = try Fixed.berlin()
        let text = String(String(repeating: part, count: 50).prefix(100))
        _ = try? DatePhrase.parse(text, now: Fixed.now, zone: zone)
        for instant in [Int64.min, -1, .max] {
            _ = try? DatePhrase.parse("tomorrow+10h", now: instant, zone: zone)
            _ = DatePhrase.describe(.instant(instant), now: Fixed.now, zone: zone)
            _ = DatePhrase.describe(.instant(0), now: instant, zone: zone)
        }
    }
}

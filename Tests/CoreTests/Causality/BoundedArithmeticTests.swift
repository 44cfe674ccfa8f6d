import Core
import Testing

@Suite("Bounded arithmetic")
struct BoundedArithmeticTests {
    @Test(
        "sums, differences and products of every pair of a byte are exact or the nearest that fits")
    func nearest() {
        for left in Int8.min...Int8.max {
            for right in Int8.min...Int8.max {
                let (wide, other) = (Int(left), Int(right))
                #expect(left.plus(right) == Int8(clamping: wide + other))
                #expect(left.minus(right) == Int8(clamping: wide - other))
                #expect(left.times(right) == Int8(clamping: wide * other))
            }
        }
    }

    @Test("numbers without a sign end at zero and at their greatest")
    func unsigned() {
        #expect(UInt8(1).minus(2) == 0)
        #expect(UInt8(200).plus(100) == 255)
        #expect(UInt8(16).times(16) == 255)
    }
}

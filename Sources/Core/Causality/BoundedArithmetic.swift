/// Arithmetic on values that came from elsewhere: another device, a file, a wrong clock.
///
/// Such a value may be the smallest or the greatest of its type. A result that does not fit is the nearest one that
/// does: a program must not end because of one odd value, and what is that far away needs no exact time.
extension FixedWidthInteger {
    /// The sum, or the nearest number that fits.
    package func plus(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        if !isOver { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference, or the nearest number that fits.
    package func minus(_ other: Self) -> Self {
        let (difference, isOver) = subtractingReportingOverflow(other)
        if !isOver { return difference }
        return other < 0 ? .max : .min
    }

    /// The product, or the nearest number that fits.
    package func times(_ other: Self) -> Self {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        if !isOver { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}

extension Collection<UInt8> {
    /// Whether a secret is the other one, byte for byte.
    ///
    /// The time that it takes tells how many bytes there are, and not how many of the first ones fit: somebody who may
    /// try again and again would guess a secret by that, one byte after the other (CWE-208).
    ///
    /// - Parameter other: bytes that may come from anybody.
    /// - Complexity: the number of bytes, if both have as many.
    package func isSameSecret(_ other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (own, given) in zip(self, other) { difference |= own ^ given }
        return difference == 0
    }
}

extension StringProtocol {
    /// Whether a secret text is the other one; see `Collection.isSameSecret`.
    package func isSameSecret(_ other: some StringProtocol) -> Bool {
        utf8.isSameSecret(other.utf8)
    }
}

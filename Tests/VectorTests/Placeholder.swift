enum VectorTestsPlaceholder {}

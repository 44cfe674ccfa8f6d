enum WireTestsPlaceholder {}

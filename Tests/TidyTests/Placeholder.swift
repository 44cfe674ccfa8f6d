enum TidyTestsPlaceholder {}

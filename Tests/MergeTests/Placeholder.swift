enum MergeTestsPlaceholder {}

enum RecordsTestsPlaceholder {}

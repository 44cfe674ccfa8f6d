enum StorageTestsPlaceholder {}

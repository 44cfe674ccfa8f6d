enum ReplicationTestsPlaceholder {}

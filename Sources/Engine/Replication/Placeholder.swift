enum ReplicationPlaceholder {}

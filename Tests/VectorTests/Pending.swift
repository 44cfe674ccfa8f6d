enum VectorTestsPending {}

enum WireTestsPending {}

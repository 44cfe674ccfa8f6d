enum CausalityTestsPlaceholder {}

enum CausalityPlaceholder {}

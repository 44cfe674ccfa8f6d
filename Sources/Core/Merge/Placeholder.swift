enum MergePlaceholder {}

enum SessionTestsPlaceholder {}

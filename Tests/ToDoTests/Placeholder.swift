enum ToDoTestsPlaceholder {}

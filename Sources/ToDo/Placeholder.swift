enum ToDoPlaceholder {}

enum SessionPlaceholder {}

// Built-in kernels live in this folder, one subfolder each.

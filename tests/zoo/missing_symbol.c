/* A library that exports something else. */
int qkvet_something_else(void);
int qkvet_something_else(void) { return 1; }

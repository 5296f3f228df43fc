# The library that run.py and kills.py preload. It is no part of attn: without its flags, and without a library's.
tests/faults/faults.so: tests/faults/faults.c
	@$(MKDIR_P) tests/faults
	$(AM_V_CC)$(CC) -I. $(CPPFLAGS) -std=c11 -O2 -g -Wall -Wextra -shared -fPIC -o $@ $(srcdir)/tests/faults/faults.c $(LIBS)

check_DATA = tests/faults/faults.so
CLEANFILES += tests/faults/faults.so
EXTRA_DIST += tests/faults/faults.c

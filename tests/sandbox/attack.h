/*
 * attack.h - a hostile program, run inside each sandbox profile.
 *
 * Each attack returns true if it succeeded. The test (tests/e2e/test_sandbox_attacks.py) prepares
 * the targets, starts `attacks victim` outside of the sandbox, and passes on what it needs to know in
 * the environment.
 */
#ifndef ATTACK_H
#define ATTACK_H

#include <stdbool.h>
#include <stddef.h>

/* When an attack is one. */
enum attack_when {
    ALWAYS = 0,
    MOUNTS = 1,    /* needs namespaces: Landlock and seccomp alone do not stop it */
    READ_ONLY = 2, /* the root is read-only */
    WRITABLE = 4,  /* the root is writable */
    OFFLINE = 8,   /* the profile has no network */
    SCOPES = 16,   /* needs namespaces or Landlock ABI 6 */
    HARM = 32,     /* would change the host if it worked: not as root in the host's mounts */
};

struct attack {
    const char *name;
    bool (*run)(void);
    int when;
};

extern const struct attack file_attacks[], root_attacks[], process_attacks[], kernel_attacks[],
    socket_attacks[];

/* The value of an environment variable, or "". */
const char *about(const char *name);

/* "FOLDER/NAME" where the folder is a variable. The result is valid until the eighth call after. */
const char *at(const char *folder, const char *name);

/* A number in the environment. */
int number(const char *name);

/* Try to write to a path: open it so and write a byte. */
bool can_write(const char *path, int flags);
bool can_read(const char *path);

/* The call got past the checks of privileges: errno is not what a refusal gives. */
bool passed(long result);

/* The other side of the attacks: listens, until stdin ends. */
int victim_main(const char *folder);

#endif

/* What a kernel offers decides which profiles can be enforced. */
#include "loop/sandbox_profile.h"

#include "tap.h"

static const struct {
    const char *name;
    struct sandbox_support support;
    enum sandbox_level level;
    bool workspace, network; /* can these profiles be enforced? */
} kernels[] = {
    { "everything",
      { .namespaces = true, .netns = true, .own_proc = true, .seccomp = true, .landlock = 7 },
      SANDBOX_LEVEL_FULL,
      true,
      true },
    { "a masked /proc",
      { .namespaces = true, .netns = true, .seccomp = true, .landlock = 7 },
      SANDBOX_LEVEL_OLD_PROC,
      true,
      true },
    { "no network namespace",
      { .namespaces = true, .own_proc = true, .seccomp = true, .landlock = 7 },
      SANDBOX_LEVEL_NO_NETNS,
      true,
      true },
    { "no Landlock",
      { .namespaces = true, .netns = true, .own_proc = true, .seccomp = true },
      SANDBOX_LEVEL_MOUNTS_ONLY,
      true,
      false },
    { "an old Landlock beside namespaces",
      { .namespaces = true, .netns = true, .own_proc = true, .seccomp = true, .landlock = 2 },
      SANDBOX_LEVEL_FULL,
      true,
      false },
    { "no namespaces", { .seccomp = true, .landlock = 7 }, SANDBOX_LEVEL_REDUCED, true, true },
    { "no namespaces, Landlock ABI 3",
      { .seccomp = true, .landlock = 3 },
      SANDBOX_LEVEL_REDUCED,
      true,
      false },
    { "no namespaces, Landlock ABI 2",
      { .seccomp = true, .landlock = 2 },
      SANDBOX_LEVEL_REDUCED,
      false,
      false },
    { "seccomp alone", { .seccomp = true }, SANDBOX_LEVEL_NONE, false, false },
    { "no seccomp",
      { .namespaces = true, .netns = true, .own_proc = true, .landlock = 7 },
      SANDBOX_LEVEL_NONE,
      false,
      false },
};

TEST(each_kernel_has_its_level)
{
    for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
        struct sandbox_support s = kernels[i].support;
        struct err e;

        sandbox_support_rate(&s);
        EQ(s.level, kernels[i].level);
        EQ(sandbox_supports(&s, SANDBOX_WORKSPACE, &e), kernels[i].workspace);
        EQ(sandbox_supports(&s, SANDBOX_NETWORK, &e), kernels[i].network);
        OK(sandbox_supports(&s, SANDBOX_OFF, &e));
    }
}

TEST(a_refusal_names_what_is_missing)
{
    struct sandbox_support s = { .missing = "Landlock, namespaces (EPERM)" };
    struct err e = { 0 };

    sandbox_support_rate(&s);
    OK(!sandbox_supports(&s, SANDBOX_READ_ONLY, &e));
    EQ(e.code, ERR_DENIED);
    OK(str_find(str_of(e.text), STR("read-only")) >= 0);
    OK(str_find(str_of(e.text), STR("Landlock, namespaces (EPERM)")) >= 0);
}

TEST(profiles_have_names)
{
    enum sandbox_kind kind;

    for (int i = 0; i < SANDBOX_KINDS; i++) {
        OK(sandbox_kind_of(str_of(sandbox_kind_name(i)), &kind));
        EQ(kind, i);
    }
    OK(!sandbox_kind_of(STR("read"), &kind));
    OK(!sandbox_kind_of(STR(""), &kind));
}

TEST_MAIN()

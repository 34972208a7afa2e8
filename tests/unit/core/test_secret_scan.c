/* The scanner for secrets: what it reports, and what it leaves alone. */
#include "core/guard/own_secrets.h"
#include "core/guard/secret_scan.h"
#include "tap.h"

static struct arena mem;

#define KEY_BODY "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDK"

/* clang-format off */
static const struct {
    const char *kind, *text;
} secrets[] = {
    { "a private key", "-----BEGIN PRIVATE KEY-----\n" KEY_BODY "\n-----END PRIVATE KEY-----" },
    { "a private key", "x -----BEGIN OPENSSH PRIVATE KEY-----\\n" KEY_BODY "\\n" },
    { "a private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" KEY_BODY },
    { "an AWS access key", "id AKIA2E0A8F3B244C9986 ok" },
    { "an AWS access key", "{\"k\":\"ASIA2E0A8F3B244C9986\"}" },
    { "a Google API key", "https://x/?key=AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q" },
    { "a GitHub token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a" },
    { "a GitHub token", "token github_pat_11ABCDEFG0aBcDeFgHiJkLm_0123456789abcdefghijklmnopqrstuvwxyzABCDEF" },
    { "a GitLab token", "glpat-aB3dE5gH7jK9mN1pQ3sT" },
    { "a Slack token", "xoxb-2345678901-2345678901-aBcDeFgHiJkLmNoP" },
    { "an Anthropic API key", "sk-ant-api03-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8" },
    { "an OpenAI API key", "sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8" },
    { "a JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P" },
    { "a password or token", "password=Tr0ub4dor&3x" },
    { "a password or token", "DB_PASSWORD: 'k9#mQ2vLx7'" },
    { "a password or token", "{\"api_key\":\"4f9a1c77d2e84b6098aa31c5\"}" },
    { "a password or token", "client_secret = \"Zx81-pp0Q-Lm2r\"" },
    { "a password or token", "{\"token\": \"9bA7c2kQz1\"}" },
    { "a bearer token", "Authorization: Bearer 7Fk29sLmQ0aZ81xxPq4vT" },
    { "a password in a URL", "postgres://app:h7Kq2!zz9@db.example/x" },
};

static const char *const harmless[] = {
    "", "-", "eyJ", "sk-", "password", "password=", "=", ":", "://", "://:@",
    "the password is stored in the keyring, see docs/password=reset.html",
    "password = getpass.getpass('Password: ')",
    "password: ${DB_PASSWORD_2}", "password={{ vault.db_password1 }}", "PASSWORD=<your password 1>",
    "api_key = \"env:OPENAI_API_KEY1\"", "api_key: os.environ[\"K3Y\"]", "token = request.headers2.Authorization",
    "token: tokens2[0]", "secret = make_secret1(32)", "const secret = config.app2.secret;",
    "max_tokens: 100000", "{\"page_token\":\"CAUQAA1b2c3d4e5f\"}", "{\"nextToken\":\"aB3dE5gH7jK9mN1p\"}",
    "the tokens=12 of a model", "if (pwd == NULL || pwd[0] == '/')", "cd $(pwd): /home/user1/Project2",
    "-----BEGIN CERTIFICATE-----\n" KEY_BODY "\n", "starts with \"-----BEGIN PRIVATE KEY-----\" and ends",
    "if (line.startsWith('-----BEGIN RSA PRIVATE KEY-----')) return parsePrivateKey(line);",
    "AKIAIOSFODNN7EXAMPLE", "AKIA is the prefix", "xAKIA2E0A8F3B244C9986", "sk-learn-is-a-library-for-python",
    "task-ant-colony-optimization-2", "risk-assessment-of-Project-2024-Final", "ghp_tooshort1A",
    "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "550e8400-e29b-41d4-a716-446655440000", "https://user@host.example/path:1", "https://example.com:8080/a@b",
    "postgres://user:password@localhost/db", "xoxb-your-token-here-please-change-it",
    "Bearer of bad news that nobody wants to hear about", "Bearer <token>", "eyJ is how a JSON web token begins.",
    "for (size_t i = 0; i < n; i++) secret_find(text, at, &m);", "git@github.com:owner/repo.git",
    "token=<redacted>", "passphrase: correct horse battery staple", "\"password\": \"string\"",
};
/* clang-format on */

TEST(secrets_are_found_by_their_kind)
{
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
        struct secret_match m = { "nothing", 0, 0 };

        if (!secret_find(str_of(secrets[i].text), 0, &m) || strcmp(m.kind, secrets[i].kind) != 0)
            TAP_NOT("%s: %s", secrets[i].text, m.kind);
    }
}

TEST(prose_and_programs_are_left_alone)
{
    for (size_t i = 0; i < ARRAY_LEN(harmless); i++) {
        struct secret_match m;

        if (secret_find(str_of(harmless[i]), 0, &m))
            TAP_NOT("%s: %s", harmless[i], m.kind);
    }
}

TEST(what_is_shown_has_kinds_instead_of_values)
{
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
        struct str text = secret_redact(&mem, str_of(secrets[i].text));
        struct secret_match m;

        HAS_S(text, secrets[i].kind);
        if (secret_find(text, 0, &m))
            TAP_NOT("still in " STR_FMT, STR_ARG(text));
    }
    EQ_S(secret_redact(&mem,
                       STR("a ghp_16C7e42F292c6912E7710c838347Ae178B4a, b password=Tr0ub4dor3x!")),
         "a [a GitHub token], b password=[a password or token]");
    arena_fini(&mem);
}

TEST(escapes_hide_nothing)
{
    EQ_S(secret_decode(&mem, STR("{\"a\":\"\\u0067hp_\\n\\\"\\\\x\\u\\ud83d\\u00e9\"}")),
         "{\"a\":\"ghp_\n\"\\xu\xc3\xa9\"}");
    EQ_S(secret_decode(&mem, STR("\\")), "");
    arena_fini(&mem);
}

TEST(own_secrets_are_found_wherever_they_are)
{
    struct own_secrets set = { 0 };

    OK(!own_secrets_find(&set, STR("anything at all")));
    own_secrets_add(&set, &mem, STR("KEY"), STR("c0ffee-and-tea"));
    own_secrets_add(&set, &mem, STR("HEADER"), STR("Bearer swordfish-42"));
    own_secrets_add(&set, &mem, STR("SHORT"), STR("abc"));
    own_secrets_add(&set, &mem, STR("PLAIN"), STR("aaaaaaaaaaaa"));
    own_secrets_add(&set, &mem, STR("MISSING"), STR_NONE);

    OK(!own_secrets_find(&set, STR("abc aaaaaaaaaaaa c0ffee-and-te swordfish-4")));
    EQ_S(own_secrets_find(&set, STR("c0ffee-and-tea"))->name, "KEY");
    EQ_S(own_secrets_find(&set, STR("https://x/?q=swordfish-42&y"))->name, "HEADER");
    arena_fini(&mem);
}

TEST_MAIN()

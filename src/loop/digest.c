#include "loop/digest.h"

#include "base/str.h"
#include "loop/shared_lib.h"

#include <pthread.h>

/* As openssl/evp.h and openssl/hmac.h declare them, with its types as void. */
typedef const void *sha256_fn(void);
typedef void *new_fn(void);
typedef int init_fn(void *ctx, const void *key, int key_len, const void *md, void *engine);
typedef int update_fn(void *ctx, const unsigned char *bytes, size_t n);
typedef int final_fn(void *ctx, unsigned char *out, unsigned int *out_len);

struct crypto {
    sha256_fn *sha256;
    new_fn *make;
    init_fn *init;
    update_fn *update;
    final_fn *final;
};

static const struct shared_function functions[] = {
    { "EVP_sha256", offsetof(struct crypto, sha256) },
    { "HMAC_CTX_new", offsetof(struct crypto, make) },
    { "HMAC_Init_ex", offsetof(struct crypto, init) },
    { "HMAC_Update", offsetof(struct crypto, update) },
    { "HMAC_Final", offsetof(struct crypto, final) },
};

static const struct shared_lib library = {
    .file = "libcrypto.so.3",
    .purpose = "sealing needs libcrypto",
    .package = "libssl3",
    .function = functions,
    .functions = ARRAY_LEN(functions),
};

/* One per process, for all its threads. */
static struct crypto crypto;
static bool opened;
static struct err why_not;

/*
 * Setting a key up costs several times what a short text does, and one key often comes again and
 * again: it stays set. For one thread at a time.
 */
static struct {
    pthread_mutex_t lock;
    void *ctx;
    char key[64];
    size_t n; /* of the key; 0: none is set */
} last = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool set_key(struct str key)
{
    bool same = last.n && key.n == last.n && memcmp(key.p, last.key, key.n) == 0;

    if (!last.ctx)
        last.ctx = crypto.make();
    if (!last.ctx)
        return false;
    if (same)
        return crypto.init(last.ctx, NULL, 0, NULL, NULL) == 1;
    last.n = 0;
    if (crypto.init(last.ctx, key.p, (int)key.n, crypto.sha256(), NULL) != 1)
        return false;
    if (key.n <= sizeof(last.key)) {
        memcpy(last.key, key.p, key.n);
        last.n = key.n;
    }
    return true;
}

static void load_once(void)
{
    opened = shared_lib_load(&library, &crypto, &why_not);
}

bool mac_sha256(struct str key, struct str bytes, char out[MAC_BYTES], struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned int n = 0;
    bool made;

    pthread_once(&once, load_once);
    if (!opened) {
        *e = why_not;
        return false;
    }
    pthread_mutex_lock(&last.lock);
    made = set_key(key) && crypto.update(last.ctx, (const unsigned char *)bytes.p, bytes.n) == 1 &&
           crypto.final(last.ctx, (unsigned char *)out, &n) == 1 && n == MAC_BYTES;
    pthread_mutex_unlock(&last.lock);
    return made || fail(e, ERR_SYSTEM, "libcrypto cannot compute HMAC-SHA256");
}

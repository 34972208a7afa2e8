#include "base/mac.h"

#include <dlfcn.h>
#include <pthread.h>

#define INSTALL "install the package libssl3 (Debian: apt install libssl3)"

/* As openssl/evp.h and openssl/hmac.h declare them, with its types as void. */
typedef const void *sha256_fn(void);
typedef unsigned char *hmac_fn(const void *md, const void *key, int key_len,
                               const unsigned char *bytes, size_t n, unsigned char *out,
                               unsigned int *out_len);

struct crypto {
    sha256_fn *sha256;
    hmac_fn *hmac;
};

static bool find(void *lib, const char *name, void *to, struct err *e)
{
    void *p = dlsym(lib, name);

    if (!p)
        return fail(e, ERR_SYSTEM, "libcrypto has no %s; " INSTALL, name);
    memcpy(to, &p, sizeof(p));
    return true;
}

/* Never closed, so what dlsym gave stays good. One per process, for all its threads. */
static struct crypto crypto;
static bool opened;
static struct err why_not;

static bool load(struct err *e)
{
    void *lib = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);

    if (!lib)
        return fail(e, ERR_SYSTEM, "sealing needs libcrypto (%.80s); " INSTALL, dlerror());
    return find(lib, "EVP_sha256", &crypto.sha256, e) && find(lib, "HMAC", &crypto.hmac, e);
}

static void load_once(void)
{
    opened = load(&why_not);
}

bool mac_sha256(struct str key, struct str bytes, char out[MAC_BYTES], struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned int n = 0;

    pthread_once(&once, load_once);
    if (!opened) {
        *e = why_not;
        return false;
    }
    if (!crypto.hmac(crypto.sha256(), key.p, (int)key.n, (const unsigned char *)bytes.p, bytes.n,
                     (unsigned char *)out, &n) ||
        n != MAC_BYTES)
        return fail(e, ERR_SYSTEM, "libcrypto computes no HMAC-SHA256");
    return true;
}

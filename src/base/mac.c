#include "base/mac.h"

#include <dlfcn.h>

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

/* Never closed, so what dlsym gave stays good. One per process. */
static bool open_crypto(const struct crypto **out, struct err *e)
{
    static struct crypto crypto;
    static bool open;
    void *lib;

    if (!open) {
        lib = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
        if (!lib)
            return fail(e, ERR_SYSTEM, "sealing needs libcrypto (%.80s); " INSTALL, dlerror());
        if (!find(lib, "EVP_sha256", &crypto.sha256, e) || !find(lib, "HMAC", &crypto.hmac, e))
            return false;
        open = true;
    }
    *out = &crypto;
    return true;
}

bool mac_sha256(struct str key, struct str bytes, char out[MAC_BYTES], struct err *e)
{
    const struct crypto *crypto;
    unsigned int n = 0;

    if (!open_crypto(&crypto, e))
        return false;
    if (!crypto->hmac(crypto->sha256(), key.p, (int)key.n, (const unsigned char *)bytes.p, bytes.n,
                      (unsigned char *)out, &n) ||
        n != MAC_BYTES)
        return fail(e, ERR_SYSTEM, "libcrypto computes no HMAC-SHA256");
    return true;
}

/* http_fetch_fault.c - turn the result codes of libcurl into error messages that help the user. */
#include "wire/http_fetch.h"

#include <errno.h>

/* Of OpenSSL's verify results, those a person can do something about. */
static const struct {
    long result;
    const char *text;
} certificates[] = {
    { 9, "is not valid yet; check the clock of both machines" },
    { 10, "has expired" },
    { 18, "is self-signed; add it to SSL_CERT_FILE to trust it" },
    { 19, "comes from an unknown authority; add that to SSL_CERT_FILE to trust it" },
    { 20, "comes from an unknown authority; add that to SSL_CERT_FILE to trust it" },
    { 21, "comes without the intermediate certificates" },
    { 23, "has been revoked" },
};

static const char *phase_text(enum fetch_phase phase)
{
    switch (phase) {
    case PHASE_QUEUED:
    case PHASE_RESOLVING: return "looking up";
    case PHASE_CONNECTING: return "connecting to";
    case PHASE_ASKED: return "waiting for the response of";
    case PHASE_BODY: return "reading the response of";
    case PHASE_OVER: break;
    }
    return "?";
}

void fault_timeout(struct transfer *t, int64_t ms, struct err *e)
{
    fail(e, ERR_TIMEOUT, "timed out after %jd ms while %s " HOP_FMT, (intmax_t)ms,
         phase_text(t->phase), HOP_ARG(t));
}

static void not_connected(struct transfer *t, struct err *e)
{
    long sys = 0;

    t->fetch->unreached = true;
    t->client->api->easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &sys);
    if (sys == ECONNREFUSED)
        fail(e, ERR_CLOSED, "connection refused by " HOP_FMT, HOP_ARG(t));
    else if (sys)
        fail(e, ERR_CLOSED, "cannot connect to " HOP_FMT ": %s", HOP_ARG(t), strerror((int)sys));
    else
        fail(e, ERR_CLOSED, "cannot connect to " HOP_FMT ": %.100s", HOP_ARG(t), t->detail);
}

static void not_trusted(struct transfer *t, struct err *e)
{
    long result = 0;

    t->client->api->easy_getinfo(t->easy, CURLINFO_SSL_VERIFYRESULT, &result);
    for (size_t i = 0; i < ARRAY_LEN(certificates); i++)
        if (certificates[i].result == result) {
            fail(e, ERR_DENIED, "TLS: the certificate of " HOP_FMT " %s", HOP_ARG(t),
                 certificates[i].text);
            return;
        }
    fail(e, ERR_DENIED, "TLS: the certificate of " HOP_FMT " is not accepted: %.100s", HOP_ARG(t),
         t->detail);
}

static void broken_off(struct transfer *t, struct err *e)
{
    switch (t->phase) {
    case PHASE_QUEUED:
    case PHASE_RESOLVING:
    case PHASE_CONNECTING: not_connected(t, e); return;
    case PHASE_ASKED:
    case PHASE_BODY:
    case PHASE_OVER: break;
    }
    fail(e, ERR_CLOSED, HOP_FMT " closed the connection %s response", HOP_ARG(t),
         t->head_bytes ? "in the middle of its" : "without a");
}

static void no_memory(struct transfer *t, struct err *e)
{
    if (t->phase == PHASE_ASKED) /* so libcurl calls a header line past its own maximum */
        fail(e, ERR_LIMIT, "a header of " HOP_FMT " is larger than libcurl accepts", HOP_ARG(t));
    else
        fail(e, ERR_SYSTEM, "libcurl is out of memory");
}

/* Only our own reasons are named; what is left carries libcurl's words. */
void fault_tell(struct transfer *t, CURLcode result, struct err *e)
{
    const char *words = t->detail[0] ? t->detail : t->client->api->easy_strerror(result);

    switch ((int)result) {
    case CURLE_COULDNT_RESOLVE_HOST:
        fail(e, ERR_NOT_FOUND, "could not resolve host " STR_FMT,
             STR_ARG(str_head(t->url.host, 80)));
        break;
    case CURLE_COULDNT_RESOLVE_PROXY:
        fail(e, ERR_NOT_FOUND, "could not resolve the proxy: %.150s", words);
        break;
    case CURLE_COULDNT_CONNECT: not_connected(t, e); break;
    case CURLE_OPERATION_TIMEDOUT: fault_timeout(t, t->req.connect_ms, e); break;
    case CURLE_PEER_FAILED_VERIFICATION: not_trusted(t, e); break;
    case CURLE_SSL_CACERT_BADFILE:
        fail(e, ERR_SYSTEM,
             "TLS: no trusted certificates (SSL_CERT_FILE, package ca-certificates): %.120s",
             words);
        break;
    case CURLE_SSL_CONNECT_ERROR:
        fail(e, ERR_CLOSED, "TLS: cannot connect to " HOP_FMT ": %.120s", HOP_ARG(t), words);
        break;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: broken_off(t, e); break;
    case CURLE_OUT_OF_MEMORY: no_memory(t, e); break;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        fail(e, ERR_INVALID, HOP_FMT " sent an invalid HTTP response: %.120s", HOP_ARG(t), words);
        break;
    default: /* libcurl's enum, not ours */
        fail(e, ERR_SYSTEM, "fetching from " HOP_FMT ": %.120s", HOP_ARG(t), words);
        break;
    }
}

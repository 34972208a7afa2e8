/* What becomes of a provider's refusals. */
#include "provider/fault.h"
#include "tap.h"

static const struct server_pair headers[] = { { STR("X-Tenant"), STR("tenant-secret") } };
static const struct provider_spec spec = {
    .name = "peer", .key = STR("sk-very-secret"), .header = headers, .headers = 1
};

static const struct {
    int status;
    const char *body;
    enum err_code code;
    bool again, context;
    const char *text;
} rows[] = {
    { 401,
      "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"bad key\"}}",
      ERR_DENIED, false, false, "peer answered 401 Unauthorized: bad key; check the key" },
    { 403, "", ERR_DENIED, false, false, "peer answered 403 Forbidden; check the key" },
    { 404, "{\"error\":\"no such model\"}", ERR_NOT_FOUND, false, false,
      "peer answered 404 Not Found: no such model; check base_url and the name of the model" },
    { 429, "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}", ERR_DENIED, true,
      false, "peer answered 429 Too Many Requests: slow" },
    { 429, "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"pay\"}}", ERR_DENIED, false,
      false, "peer answered 429 Too Many Requests: pay" },
    { 529, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}", ERR_CLOSED, true,
      false, "peer answered 529: busy" },
    { 500, "<html>oops</html>", ERR_CLOSED, true, false,
      "peer answered 500 Internal Server Error" },
    { 503, "try\nlater", ERR_CLOSED, true, false,
      "peer answered 503 Service Unavailable: try later" },
    { 504, "", ERR_TIMEOUT, true, false, "peer answered 504 Gateway Timeout" },
    { 408, "", ERR_TIMEOUT, true, false, "peer answered 408 Request Timeout" },
    { 413, "", ERR_LIMIT, false, false, "peer answered 413 Content Too Large" },
    { 302, "", ERR_INVALID, false, false, "peer answered 302" },
    { 400,
      "{\"error\":{\"type\":\"invalid_request_error\",\"code\":\"context_length_exceeded\","
      "\"message\":\"long\"}}",
      ERR_LIMIT, false, true, "peer answered 400 Bad Request: long" },
    { 400,
      "[{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\",\"message\":\"The input token "
      "count (9) exceeds\"}}]",
      ERR_INVALID, false, true,
      "peer answered 400 Bad Request: The input token count (9) exceeds" },
    { 400, "{\"error\":{\"message\":\"key sk-very-secret of tenant-secret\"}}", ERR_INVALID, false,
      false, "peer answered 400 Bad Request: key ************** of *************" },
};

TEST(every_refusal_has_a_code_and_a_sentence)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fault f;

        fault_status(&f, &spec, rows[i].status, str_of(rows[i].body));
        EQ(f.err.code, rows[i].code);
        EQ(f.again, rows[i].again);
        EQ(f.context, rows[i].context);
        EQ_STR(f.err.text, rows[i].text);
    }
}

TEST(long_words_are_cut_between_characters)
{
    struct arena mem = { 0 };
    struct str body = arena_printf(&mem, "%0149d\xc3\xa4\xc3\xa4 and on", 0);
    struct fault f;

    fault_status(&f, &spec, 500, body);
    HAS_S(str_of(f.err.text), "00...");
    OK(!strstr(f.err.text, "\xc3"));
    arena_fini(&mem);
}

TEST(what_fails_below_http)
{
    struct fault f;

    fault_transport(&f, &spec, &(struct err){ ERR_CLOSED, "refused" });
    OK(f.again);
    EQ_STR(f.err.text, "peer: refused");
    fault_transport(&f, &spec, &(struct err){ ERR_DENIED, "certificate" });
    OK(!f.again);
}

TEST(how_long_to_wait_is_read_in_every_spelling)
{
    const int64_t wall = 784111777000; /* Sun, 06 Nov 1994 08:49:37 GMT */
    struct fault f;

    EQ(fault_retry_after(STR_NONE, STR_NONE, wall), -1);
    EQ(fault_retry_after(STR("7"), STR_NONE, wall), 7000);
    EQ(fault_retry_after(STR("7"), STR("150"), wall), 150);
    EQ(fault_retry_after(STR("Sun, 06 Nov 1994 08:49:47 GMT"), STR_NONE, wall), 10000);
    EQ(fault_retry_after(STR("Sun, 06 Nov 1994 08:49:27 GMT"), STR_NONE, wall), 0);
    EQ(fault_retry_after(STR("soon"), STR_NONE, wall), -1);
    EQ(fault_retry_after(STR("-7"), STR_NONE, wall), -1);
    fault_status(&f, &spec, 429,
                 STR("{\"error\":{\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"m\",\"details\":["
                     "{\"x\":1},{\"retryDelay\":\"12.5s\"}]}}"));
    EQ(f.after_ms, 12000);
    OK(f.again);
}

TEST_MAIN()

/* URLs, cards, requests and answers of the A2A client: the pure parts. */
#include "base/auto.h"
#include "proto/a2a/client/a2a_request.h"
#include "tap.h"

static struct limits limits;

__attribute__((constructor)) static void set_limits(void)
{
    limits_preset(&limits);
}

/* ---- URLs ------------------------------------------------------------------------------------ */

static const struct {
    const char *url, *origin; /* origin NULL: not accepted */
} urls[] = {
    { "https://A.example:443/x?y#z", "https://a.example" },
    { "HTTP://a.example:80", "http://a.example" },
    { "http://a.example:8080/", "http://a.example:8080" },
    { "http://[::1]:1/", "http://[::1]:1" },
    { "ftp://a.example/", NULL },
    { "https://", NULL },
    { "https://user@a.example/", NULL },
    { "https://a.example\\@b.example/", NULL },
    { "https://a.example/ x", NULL },
    { "https://a.example/\x01", NULL },
    { "//a.example/", NULL },
    { "", NULL },
};

TEST(origins_are_those_that_the_http_client_uses)
{
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct a2a_url url;
        struct err e;
        bool ok = a2a_url_read(&mem, str_of(urls[i].url), &url, &e);

        EQ(ok, urls[i].origin != NULL);
        if (ok)
            EQ_S(url.origin, urls[i].origin);
    }
}

TEST(the_names_of_this_machine_are_one_host)
{
    OK(a2a_same_origin(STR("http://localhost:1"), STR("http://127.0.0.1:1")));
    OK(a2a_same_origin(STR("http://[::1]:1"), STR("http://localhost:1")));
    OK(!a2a_same_origin(STR("http://localhost:1"), STR("http://127.0.0.1:2")));
    OK(!a2a_same_origin(STR("https://localhost:1"), STR("http://localhost:1")));
    OK(!a2a_same_origin(STR("http://a.example"), STR("http://b.example")));
}

/* ---- cards ----------------------------------------------------------------------------------- */

static const struct {
    const char *claim; /* for the reader */
    const char *card, *binding, *version;
    const char *url; /* of the chosen interface; NULL: none */
    enum a2a_dialect dialect;
} cards[] = {
    { "the newest version wins", /**/
      "{'name':'x','supportedInterfaces':[{'url':'/3','protocolBinding':'JSONRPC',"
      "'protocolVersion':'0.3'},{'url':'/1','protocolBinding':'HTTP+JSON','protocolVersion':'1.0'}"
      "]}",
      NULL, NULL, "https://h.example/1", A2A_1_0 },
    { "then the order of the card", /**/
      "{'name':'x','supportedInterfaces':[{'url':'/r','protocolBinding':'HTTP+JSON',"
      "'protocolVersion':'1.0'},{'url':'/j','protocolBinding':'JSONRPC','protocolVersion':'1.0'}]}",
      NULL, NULL, "https://h.example/r", A2A_1_0 },
    { "a binding can be chosen", /**/
      "{'name':'x','supportedInterfaces':[{'url':'/r','protocolBinding':'HTTP+JSON',"
      "'protocolVersion':'1.0'},{'url':'/j','protocolBinding':'JSONRPC','protocolVersion':'1.0'}]}",
      "JSONRPC", NULL, "https://h.example/j", A2A_1_0 },
    { "a hybrid card counts as one of 1.0", /**/
      "{'name':'x','protocolVersion':'0.3.0','url':'/3','supportedInterfaces':[{'url':'/1',"
      "'protocolBinding':'JSONRPC','protocolVersion':'1.0'}]}",
      NULL, NULL, "https://h.example/1", A2A_1_0 },
    { "0.3 over HTTP+JSON has a dialect of its own", /**/
      "{'name':'x','protocolVersion':'0.3.0','url':'/3','preferredTransport':'HTTP+JSON'}", NULL,
      NULL, "https://h.example/3", A2A_0_3_REST },
    { "further interfaces of 0.3 are used, too", /**/
      "{'name':'x','protocolVersion':'0.3.0','url':'/g','preferredTransport':'GRPC',"
      "'additionalInterfaces':[{'url':'/j','transport':'JSONRPC'}]}",
      NULL, NULL, "https://h.example/j", A2A_0_3 },
    { "without a version it is 0.3", "{'name':'x','url':'/old'}", NULL, NULL,
      "https://h.example/old", A2A_0_3 },
    { "unless it says 0.1", "{'name':'x','version':'0.1.0','url':'/old'}", NULL, NULL,
      "https://h.example/old", A2A_0_1 },
    { "a foreign origin is not used", "{'name':'x','url':'https://other.example/'}", NULL, NULL,
      NULL, A2A_1_0 },
    { "an unknown version is not used", /**/
      "{'name':'x','protocolVersion':'9.0','url':'/x'}", NULL, NULL, NULL, A2A_1_0 },
};

static struct str quoted(struct arena *mem, const char *text)
{
    char *s = arena_cstr(mem, str_of(text));

    for (size_t i = 0; s[i]; i++)
        s[i] = s[i] == '\'' ? '"' : s[i];
    return str_of(s);
}

TEST(an_interface_is_chosen)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_url home;
    struct err e;

    OK(a2a_url_read(&mem, STR("https://h.example/card.json"), &home, &e));
    for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
        const struct remote_spec spec = { .binding = str_of(cards[i].binding),
                                          .version = str_of(cards[i].version) };
        const struct a2a_interface *face;
        struct a2a_peer_card card;
        bool ok;

        OK(a2a_card_read(&mem, &limits, quoted(&mem, cards[i].card), &home, &card, &e));
        ok = a2a_card_choose(&card, &spec, home.origin, &face, &e);
        EQ(ok, cards[i].url != NULL);
        if (!ok)
            continue;
        EQ_S(face->url.text, cards[i].url);
        EQ(face->dialect, cards[i].dialect);
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

static const struct {
    enum a2a_op op;
    enum a2a_dialect dialect;
    const char *method, *url; /* method NULL: the version does not have it */
} rest[] = {
    { A2A_SEND, A2A_1_0, "POST", "https://h.example/r/message:send" },
    { A2A_STREAM, A2A_1_0, "POST", "https://h.example/r/message:stream" },
    { A2A_GET, A2A_1_0, "GET", "https://h.example/r/tasks/a%2Fb?historyLength=0" },
    { A2A_LIST, A2A_1_0, "GET", "https://h.example/r/tasks" },
    { A2A_CANCEL, A2A_1_0, "POST", "https://h.example/r/tasks/a%2Fb:cancel" },
    { A2A_SUBSCRIBE, A2A_1_0, "POST", "https://h.example/r/tasks/a%2Fb:subscribe" },
    { A2A_SEND, A2A_0_3_REST, "POST", "https://h.example/r/v1/message:send" },
    { A2A_GET, A2A_0_3_REST, "GET", "https://h.example/r/v1/tasks/a%2Fb?historyLength=0" },
    { A2A_LIST, A2A_0_3_REST, NULL, NULL },
};

TEST(paths_of_http_json_escape_ids)
{
    AUTO_ARENA mem = { 0 };
    const struct block part = { .kind = BLOCK_TEXT, .text = STR("hi") };
    const struct a2a_message m = { .id = STR("m"), .parts = { &part, 1 } };

    for (size_t i = 0; i < ARRAY_LEN(rest); i++) {
        bool sends = rest[i].op == A2A_SEND || rest[i].op == A2A_STREAM;
        const struct a2a_ask ask = {
            .op = rest[i].op, .message = sends ? &m : NULL, .task = STR("a/b"), .history = 0
        };
        struct a2a_interface face = { .dialect = rest[i].dialect, .rest = true };
        struct a2a_request req;
        struct err e;
        bool ok;

        OK(a2a_url_read(&mem, STR("https://h.example/r/"), &face.url, &e));
        ok = a2a_request_write(&mem, &limits, &face, &ask, 1, &req, &e);
        EQ(ok, rest[i].method != NULL);
        if (!ok)
            continue;
        EQ_S(str_of(req.method), rest[i].method);
        EQ_S(req.url, rest[i].url);
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

static const struct {
    int status;
    const char *text;
    enum err_code code; /* of the agent's error; ERR_NONE: a result */
    enum a2a_error fault;
} replies[] = {
    { 200, "{'jsonrpc':'2.0','id':1,'result':{'id':'t'}}", ERR_NONE, A2A_ERRORS },
    { 200, "{'id':'t','status':'completed'}", ERR_NONE, A2A_ERRORS },
    { 200, "{'jsonrpc':'2.0','id':1,'error':{'code':-32001,'message':'gone'}}", ERR_NOT_FOUND,
      A2A_TASK_NOT_FOUND },
    { 400, "{'error':{'code':400,'message':'no','details':[{'reason':'UNSUPPORTED_OPERATION'}]}}",
      ERR_INVALID, A2A_UNSUPPORTED_OPERATION },
    { 404, "{'code':-32001,'message':'gone'}", ERR_NOT_FOUND, A2A_TASK_NOT_FOUND },
    { 404, "<html>", ERR_NOT_FOUND, A2A_METHOD_NOT_FOUND },
    { 401, "", ERR_DENIED, A2A_ERRORS },
    { 503, "busy", ERR_BUSY, A2A_BUSY },
};

TEST(answers_of_both_bindings_are_read)
{
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(replies); i++) {
        struct a2a_reply reply;
        struct err e;

        OK(a2a_reply_read(&mem, &limits, 1, replies[i].status, quoted(&mem, replies[i].text),
                          &reply, &e));
        EQ(reply.err.code, replies[i].code);
        EQ(reply.fault, replies[i].fault);
        EQ(json_here(reply.result), replies[i].code == ERR_NONE);
    }
}

TEST(an_answer_to_another_request_is_refused)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_reply reply;
    struct err e;

    OK(!a2a_reply_read(&mem, &limits, 1, 200, quoted(&mem, "{'jsonrpc':'2.0','id':2,'result':{}}"),
                       &reply, &e));
    HAS_S(str_of(e.text), "another request");
    OK(!a2a_reply_read(&mem, &limits, 1, 200, STR("{"), &reply, &e));
    HAS_S(str_of(e.text), "not JSON");
}

TEST_MAIN()

/* test_json_edit.c - one member more, every other byte as it was. */
#include "base/auto.h"
#include "config/entry_edit.h"
#include "tap.h"

#define VALUE "{\"command\":\"/t\",\"args\":[\"mcp\"],\"env\":{}}"

static const struct {
    const char *text, *want;
    enum entry_change how;
    bool replace;
} edits[] = {
    { "",
      "{\n  \"m\": {\n    \"t\": {\n      \"command\": \"/t\",\n      \"args\": [\"mcp\"],\n      "
      "\"env\": {}\n    }\n  }\n}\n",
      ENTRY_CHANGED, false },
    { "{}",
      "{\n  \"m\": {\n    \"t\": {\n      \"command\": \"/t\",\n      \"args\": [\"mcp\"],\n      "
      "\"env\": {}\n    }\n  }\n}",
      ENTRY_CHANGED, false },
    /* a map with members; tabs; other keys around it */
    { "{\n\t\"a\": [1,2],\n\t\"m\": {\n\t\t\"x\": {\"command\": \"y\"}\n\t},\n\t\"z\": null\n}\n",
      "{\n\t\"a\": [1,2],\n\t\"m\": {\n\t\t\"x\": {\"command\": \"y\"},\n\t\t\"t\": "
      "{\n\t\t\t\"command\": \"/t\",\n\t\t\t\"args\": [\"mcp\"],\n\t\t\t\"env\": "
      "{}\n\t\t}\n\t},\n\t\"z\": null\n}\n",
      ENTRY_CHANGED, false },
    /* an empty map */
    { "{\n  \"m\": {}\n}\n",
      "{\n  \"m\": {\n    \"t\": {\n      \"command\": \"/t\",\n      \"args\": [\"mcp\"],\n      "
      "\"env\": {}\n    }\n  }\n}\n",
      ENTRY_CHANGED, false },
    /* all on one line */
    { "{\"m\":{\"x\":1},\"z\":2}",
      "{\"m\":{\"x\":1,\n  \"t\": {\n    \"command\": \"/t\",\n    \"args\": [\"mcp\"],\n    "
      "\"env\": {}\n  }\n},\"z\":2}",
      ENTRY_CHANGED, false },
    /* comments, and a comma before the bracket */
    { "{\n  \"m\": { // servers, all\n    \"x\": 1, // one, \"two\"\n    /* , */\n  },\n}\n",
      "{\n  \"m\": { // servers, all\n    \"x\": 1, // one, \"two\"\n    /* , */\n    \"t\": {\n   "
      "   \"command\": \"/t\",\n      \"args\": [\"mcp\"],\n      \"env\": {}\n    }\n  },\n}\n",
      ENTRY_CHANGED, false },
    { "{\n  \"m\": {\n    \"x\": 1 // one, }\n  }\n}\n",
      "{\n  \"m\": {\n    \"x\": 1, // one, }\n    \"t\": {\n      \"command\": \"/t\",\n      "
      "\"args\": [\"mcp\"],\n      \"env\": {}\n    }\n  }\n}\n",
      ENTRY_CHANGED, false },
    { "{\n  \"m\": {\n    // nobody yet\n  }\n}\n",
      "{\n  \"m\": {\n    // nobody yet\n    \"t\": {\n      \"command\": \"/t\",\n      \"args\": "
      "[\"mcp\"],\n      \"env\": {}\n    }\n  }\n}\n",
      ENTRY_CHANGED, false },
    /* no map yet */
    { "{\n    \"inputs\": []\n}\n",
      "{\n    \"inputs\": [],\n    \"m\": {\n        \"t\": {\n            \"command\": \"/t\",\n  "
      "          \"args\": [\"mcp\"],\n            \"env\": {}\n        }\n    }\n}\n",
      ENTRY_CHANGED, false },
    /* there already: equal in another spelling, different, replaced */
    { "{\"m\":{\"t\":{\"env\":{}, \"args\":[\"mc\\u0070\"],\"command\":\"\\/t\"}}}", NULL,
      ENTRY_SAME, false },
    { "{\"m\":{\"t\":{\"command\":\"/old\"}}}", NULL, ENTRY_DIFFERS, false },
    { "{\n  \"m\": {\n    \"t\": {\"command\": \"/old\"}, // mine\n    \"x\": 1\n  }\n}\n",
      "{\n  \"m\": {\n    \"t\": {\n      \"command\": \"/t\",\n      \"args\": [\"mcp\"],\n      "
      "\"env\": {}\n    }, // mine\n    \"x\": 1\n  }\n}\n",
      ENTRY_CHANGED, true },
};

TEST(one_member_more_and_every_other_byte_as_it_was)
{
    for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
        AUTO_ARENA mem = { 0 };
        const struct entry_put put = { "f.json",   str_of(edits[i].text), STR("m"), STR("t"),
                                       STR(VALUE), edits[i].replace };
        enum entry_change how = ENTRY_CHANGED;
        struct str out = STR_NONE;
        struct err e = { 0 };

        if (!json_edit_put(&mem, &put, &how, &out, &e))
            TAP_NOT("%s: %s", edits[i].text, e.text);
        EQ(how, edits[i].how);
        EQ_S(out, edits[i].want ? edits[i].want : edits[i].text);
    }
}

TEST(what_is_no_such_file_is_refused)
{
    static const char *const wrong[] = { "[]", "{", "{\"m\":[]}", "{\"m\":{},\"m\":{}}",
                                         "{\"m\":{\"t\":1,\"t\":2}}" };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_ARENA mem = { 0 };
        const struct entry_put put = { "f.json", str_of(wrong[i]), STR("m"),
                                       STR("t"), STR(VALUE),       true };
        enum entry_change how;
        struct str out = STR_NONE;
        struct err e = { 0 };

        OK(!json_edit_put(&mem, &put, &how, &out, &e));
        OK(!out.p && strstr(e.text, "f.json:"));
    }
}

TEST_MAIN()

#include "config/editor_snippets.h"

/* A string between quotes. Lua and Emacs Lisp need the same escapes. */
static void put_quoted(struct buf *b, const char *text)
{
    buf_putc(b, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_putc(b, '\\');
        buf_putc(b, *text);
    }
    buf_putc(b, '"');
}

static void put_args(struct buf *b, const char *const *args, const char *separator)
{
    for (size_t i = 0; args[i]; i++) {
        if (i)
            buf_put(b, str_of(separator));
        put_quoted(b, args[i]);
    }
}

void emacs_snippet(struct buf *b, const struct client_launch *launch)
{
    buf_put(b, STR("(with-eval-after-load 'agent-shell\n"
                   "  (add-to-list\n"
                   "   'agent-shell-agent-configs\n"
                   "   (agent-shell-make-agent-config\n"
                   "    :identifier 'trefoil\n"
                   "    :mode-line-name \"trefoil\"\n"
                   "    :buffer-name \"trefoil\"\n"
                   "    :shell-prompt \"trefoil> \"\n"
                   "    :shell-prompt-regexp \"trefoil> \"\n"
                   "    :client-maker (lambda (buffer)\n"
                   "                    (acp-make-client\n"
                   "                     :context-buffer buffer\n"
                   "                     :command "));
    put_quoted(b, launch->program);
    buf_put(b, STR("\n                     :command-params '("));
    put_args(b, launch->args, " ");
    buf_put(b, STR("))))))\n"));
}

static void put_code_companion(struct buf *b, const struct client_launch *launch)
{
    buf_put(b, STR("-- CodeCompanion\n"
                   "require(\"codecompanion\").setup({\n"
                   "  adapters = {\n"
                   "    acp = {\n"
                   "      trefoil = function()\n"
                   "        return require(\"codecompanion.adapters\").extend(\"opencode\", {\n"
                   "          name = \"trefoil\",\n"
                   "          formatted_name = \"trefoil\",\n"
                   "          commands = { default = { "));
    put_quoted(b, launch->program);
    buf_put(b, STR(", "));
    put_args(b, launch->args, ", ");
    buf_put(b, STR(" } },\n"
                   "        })\n"
                   "      end,\n"
                   "    },\n"
                   "  },\n"
                   "  interactions = { chat = { adapter = \"trefoil\" } },\n"
                   "})\n"));
}

static void put_avante(struct buf *b, const struct client_launch *launch)
{
    buf_put(b, STR("-- avante\n"
                   "require(\"avante\").setup({\n"
                   "  provider = \"trefoil\",\n"
                   "  acp_providers = {\n"
                   "    trefoil = { command = "));
    put_quoted(b, launch->program);
    buf_put(b, STR(", args = { "));
    put_args(b, launch->args, ", ");
    buf_put(b, STR(" } },\n"
                   "  },\n"
                   "})\n"));
}

void neovim_snippet(struct buf *b, const struct client_launch *launch)
{
    put_code_companion(b, launch);
    put_avante(b, launch);
}

#include "proto/acp/client/acp_client_preset.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define AGENT(name_, title_, text_)                                                                \
    {                                                                                              \
        .name = name_, .title = title_, .description = STR(text_), .provider = STR("acp"),         \
        .preset = STR(name_), .origin = "built in", .trusted = true                                \
    }

/* Each program gets the keys of its own provider, and nothing else of our environment. */
const struct acp_preset acp_presets[] = {
    {
        .name = "claude",
        .def = AGENT("claude", "Claude Code", "Claude Code, through claude-agent-acp"),
        .argv = LIST("claude-agent-acp"),
        .family = "anthropic",
        .prompt_way = ACP_PROMPT_META,
        .takes_meta = true,
        .pass = LIST("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL",
                     "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN",
                     "CLAUDE_CODE_EXECUTABLE", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
        .credentials = LIST(".claude/.credentials.json"),
        .settings = LIST(".claude/settings.json"),
        .set = LIST("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"),
        .sandboxed = LIST("IS_SANDBOX=1"),
        .ignores = LIST("approval_mode"),
        .login = "claude /login",
        .install = "npm install -g @agentclientprotocol/claude-agent-acp",
    },
    {
        .name = "codex",
        .def = AGENT("codex", "Codex", "OpenAI Codex, through codex-acp"),
        .argv = LIST("codex-acp"),
        .pass = LIST("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"),
        .credentials = LIST(".codex/auth.json"),
        .settings = LIST(".codex/config.toml"),
        /* In this mode Codex asks before it changes anything, so that the guard can judge it. */
        .set = LIST("NO_BROWSER=1", "INITIAL_AGENT_MODE=read-only"),
        .ignores = LIST("max_turns", "budget", "allowed_tools", "disallowed_tools",
                        "fallback_model", "approval_mode"),
        .auth = LIST("api-key", "openai-api-key", "codex-api-key"),
        .login = "codex login",
        .install = "npm install -g @agentclientprotocol/codex-acp",
    },
    {
        .name = "gemini",
        .def = AGENT("gemini", "Gemini CLI", "Google Gemini CLI"),
        .argv = LIST("gemini", "--experimental-acp"),
        .family = "gemini",
        .model_option = "--model",
        .approval_option = "--approval-mode",
        .format_option = "--output-format",
        .include_option = "--include-directories",
        .allowed_option = "--allowed-tools",
        .prompt_way = ACP_PROMPT_FILE,
        .prompt_file = "GEMINI_SYSTEM_MD",
        .no_files = true,
        .pass = LIST("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL",
                     "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI"),
        .credentials = LIST(".gemini/oauth_creds.json"),
        .settings = LIST(".gemini/google_accounts.json", ".gemini/settings.json",
                         ".gemini/installation_id"),
        .set = LIST("GEMINI_CLI_NO_RELAUNCH=true"),
        .ignores = LIST("max_turns", "budget", "disallowed_tools", "effort", "fallback_model"),
        .auth = LIST("gemini-api-key", "use-gemini"),
        .login = "gemini",
        .install = "npm install -g @google/gemini-cli",
    },
    {
        .name = "goose",
        .def = AGENT("goose", "goose", "goose"),
        .argv = LIST("goose", "acp"),
        .pass = LIST("GOOSE_PROVIDER", "GOOSE_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY",
                     "GOOGLE_API_KEY", "OPENAI_HOST", "ANTHROPIC_HOST"),
        .settings = LIST(".config/goose/config.yaml", ".config/goose/secrets.yaml"),
        .set = LIST("GOOSE_DISABLE_KEYRING=1"),
        .ignores = LIST("max_turns", "budget", "allowed_tools", "disallowed_tools", "effort",
                        "fallback_model", "approval_mode"),
        .login = "goose configure",
        .install = "see the documentation of goose",
    },
    {
        .name = "opencode",
        .def = AGENT("opencode", "opencode", "opencode"),
        .argv = LIST("opencode", "acp"),
        .port_option = "--port",
        .pass = LIST("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
        .credentials = LIST(".local/share/opencode/auth.json"),
        .settings = LIST(".config/opencode/opencode.json"),
        .set = LIST("OPENCODE_DISABLE_AUTOUPDATE=1"),
        .ignores = LIST("max_turns", "budget", "allowed_tools", "disallowed_tools",
                        "fallback_model", "approval_mode"),
        .login = "opencode auth login",
        .install = "npm install -g opencode-ai",
    },
    {
        .name = "qwen",
        .def = AGENT("qwen", "Qwen Code", "Qwen Code"),
        .argv = LIST("qwen", "--acp"),
        .model_option = "--model",
        .approval_option = "--approval-mode",
        .pass = LIST("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
        .credentials = LIST(".qwen/oauth_creds.json"),
        .settings = LIST(".qwen/settings.json"),
        .ignores = LIST("max_turns", "budget", "allowed_tools", "disallowed_tools", "effort",
                        "fallback_model"),
        .auth = LIST("openai"),
        .login = "qwen",
        .install = "npm install -g @qwen-code/qwen-code",
    },
};

const size_t acp_preset_count = ARRAY_LEN(acp_presets);

const struct acp_preset acp_preset_other = { .name = "other" };

const struct acp_preset *acp_preset_named(struct str name)
{
    for (size_t i = 0; i < acp_preset_count; i++)
        if (str_eq(name, str_of(acp_presets[i].name)))
            return &acp_presets[i];
    return NULL;
}

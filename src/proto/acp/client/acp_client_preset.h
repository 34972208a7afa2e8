/*
 * acp_client_preset.h - the programs that trefoil knows: their commands, and what they need and understand.
 *
 * A preset is chosen by `preset` of an agent's definition. Each preset is also an agent of its name
 * that needs no definition (`trefoil run -a claude`).
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_PRESET_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_PRESET_H

#include "core/agent/agent_def.h"

/* How the program learns the system prompt of the definition. */
enum acp_prompt_way {
    ACP_PROMPT_FIRST, /* as the first block of the first prompt */
    ACP_PROMPT_META,  /* in _meta of session/new, as Claude Code expects */
    ACP_PROMPT_FILE,  /* in the file that the variable `prompt_file` names */
};

struct acp_preset {
    const char *name;
    struct agent_def def;    /* the agent that needs no definition */
    const char *const *argv; /* the command, ended by NULL; NULL: the definition has it */
    const char *family;      /* whose rules and instructions of the project it gets; NULL: all */
    /*
     * option of the command line for a port of this machine, to which the program connects itself;
     * NULL: the program needs none
     */
    const char *port_option;
    const char *model_option; /* option of the command line for the model; NULL: none */
    /* options for approval_mode, output_format, include_dirs and allowed_tools; NULL: none */
    const char *approval_option, *format_option, *include_option, *allowed_option;
    enum acp_prompt_way prompt_way;
    const char *prompt_file;        /* see ACP_PROMPT_FILE */
    bool takes_meta;                /* understands _meta.claudeCode.options in session/new */
    bool no_files;                  /* its file requests are faulty, so none are offered */
    const char *const *pass;        /* variables of ours that it gets, ended by NULL */
    const char *const *credentials; /* files with tokens below HOME, ended by NULL */
    const char *const *settings;    /* other files below HOME that it needs, ended by NULL */
    const char *const *set;         /* NAME=VALUE that it gets, ended by NULL */
    const char *const *sandboxed;   /* the same, only if it runs in a sandbox */
    const char *const *ignores;     /* keys of a definition that it cannot follow */
    const char *const *auth;        /* ids of auth methods that need no person */
    const char *login;              /* the command with which a person logs in */
    const char *install;            /* how to install it */
};

extern const struct acp_preset acp_presets[];
extern const size_t acp_preset_count;

/* The preset for programs that trefoil does not know. */
extern const struct acp_preset acp_preset_other;

/* Find a preset by its name. NULL: there is none. */
const struct acp_preset *acp_preset_named(struct str name);

#endif

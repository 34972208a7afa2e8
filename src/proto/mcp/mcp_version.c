#include "proto/mcp/mcp_version.h"

/* clang-format off */
const struct mcp_features mcp_features[] = {
    [MCP_2024_11_05] = { .name = "2024-11-05", .announces = true },
    [MCP_2025_03_26] = { .name = "2025-03-26", .batches = true, .annotations = true, .audio = true,
                         .completions = true, .progress_message = true },
    [MCP_2025_06_18] = { .name = "2025-06-18", .annotations = true, .audio = true,
                         .completions = true, .progress_message = true, .titles = true,
                         .structured = true, .links = true, .meta = true, .elicitation = true },
    [MCP_2025_11_25] = { .name = "2025-11-25", .annotations = true, .audio = true,
                         .completions = true, .progress_message = true, .titles = true,
                         .structured = true, .links = true, .meta = true, .elicitation = true,
                         .icons = true, .elicit_url = true, .polling = true },
    [MCP_2026_07_28] = { .name = "2026-07-28", .modern = true, .annotations = true, .audio = true,
                         .completions = true, .progress_message = true, .titles = true,
                         .structured = true, .links = true, .meta = true, .elicitation = true,
                         .icons = true, .elicit_url = true, .announces = true, .tasks = true },
};
/* clang-format on */

const struct str mcp_versions_json =
    STR("[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"]");

bool mcp_version_named(struct str name, enum mcp_version *out)
{
    for (int v = MCP_FIRST; v <= MCP_LAST; v++) {
        if (str_eq(name, str_of(mcp_features[v].name))) {
            *out = (enum mcp_version)v;
            return true;
        }
    }
    if (!str_eq(name, STR("2024-10-07")))
        return false;
    *out = MCP_2024_11_05;
    return true;
}

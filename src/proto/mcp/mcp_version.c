#include "proto/mcp/mcp_version.h"

const struct mcp_features mcp_features[] = {
    /*                  name          batches annotations titles structured */
    [MCP_2024_11_05] = { "2024-11-05", false, false, false, false },
    [MCP_2025_03_26] = { "2025-03-26", true, true, false, false },
    [MCP_2025_06_18] = { "2025-06-18", false, true, true, true },
    [MCP_2025_11_25] = { "2025-11-25", false, true, true, true },
};

bool mcp_version_named(struct str name, enum mcp_version *out)
{
    for (int v = MCP_FIRST; v <= MCP_LAST; v++) {
        if (str_eq(name, str_of(mcp_features[v].name))) {
            *out = (enum mcp_version)v;
            return true;
        }
    }
    return false;
}

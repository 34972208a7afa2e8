/*
 * api_status.h - HTTP handlers for the status of this program and its MCP servers.
 *
 *   GET /health            {"status","version","uptimeMs","connections","sessions","storeSchema"?}
 *   GET /api/mcp/servers   server_json.h
 */
#ifndef WEB_API_STATUS_H
#define WEB_API_STATUS_H

#include "wire/http_server.h"

void status_api_health(struct http_req *req);
void status_api_servers(struct http_req *req);

#endif

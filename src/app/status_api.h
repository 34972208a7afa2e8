/*
 * status_api.h - how it stands with us and our servers, over HTTP. Handlers of routes; who is the
 * service.
 *
 *   GET /health            {"status","version","uptimeMs","connections","sessions","storeSchema"?}
 *   GET /api/mcp/servers   servers_json.h
 */
#ifndef APP_STATUS_API_H
#define APP_STATUS_API_H

#include "wire/http_server.h"

void status_api_health(struct http_req *req);
void status_api_servers(struct http_req *req);

#endif

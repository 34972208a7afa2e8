/*
 * api_status.h - how it stands with us and our servers, over HTTP. Handlers of routes; who is the
 * service.
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

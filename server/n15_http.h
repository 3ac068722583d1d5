// N1.5's HTTP protocol over the flat API of any model.
//
//   POST /act      {"observation": {flat keys}} or {"encoded": "<that as a text>"} -> {"action.K": array}
//   GET  /health   {"status": "healthy", "model": "GR00T"}
//
// A failing call is 500 with {"detail": "Internal server error: TEXT"}, a body that is no JSON 422, a full queue 503.
// With an API token, /act wants the header "Authorization: Bearer TOKEN", else 401; the original had no such check.
// Source: spec policy-server, section 7.4.
#pragma once

#include "server/desk.h"
#include "server/http_listener.h"

namespace ramet::server {

std::vector<HttpRoute> n15_routes(Desk& desk);

}  // namespace ramet::server

// Package upstream speaks to MCP servers of others: it lists their tools as
// the bytes that came over the wire, and runs approved tools there, over
// standard input and output or over streamable HTTP
// (modelcontextprotocol.io/specification, revisions 2024-11-05 to 2026-07-28).
//
// A server is not trusted. What it sends is limited in size, depth, number and
// time; no schema of it is expanded or run; a definition is compared with the
// pin of its approval before every call, and it is compared as it was sent,
// because a typed round trip invents and loses keys.
package upstream

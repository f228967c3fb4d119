// Package upstream is a client of MCP servers that lists their tools as unchanged bytes and calls approved tools. It
// connects over standard input and output or streamable HTTP (modelcontextprotocol.io/specification, revisions
// 2024-11-05 to 2026-07-28).
//
// Servers are not trusted. The size, depth, number, and duration of their messages are limited, and their schemas are
// neither expanded nor executed. Before every call, the definition is compared with the pin of its approval in the
// form in which it was sent, because decoding and encoding would add and lose keys.
package upstream

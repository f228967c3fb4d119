// Package upstream is a client of MCP servers. It lists the tools of a server and calls approved tools. It connects
// over standard input and output or over streamable HTTP (modelcontextprotocol.io/specification, revisions 2024-11-05
// to 2026-07-28).
//
// Servers are not trusted. The package limits the size, the depth, the number, and the duration of their messages, and
// never expands or executes their schemas. Before every call, it compares the current definition of the tool with the
// pin of the approved definition. It compares the original bytes of a definition, because decoding and encoding could
// add or lose keys.
package upstream

// Package mcp implements the interface for agents: an MCP server with built-in tools, which propose changes, read
// proposals, and search and call approved tools. It supports the revisions of the protocol up to 2025-11-25, which
// begin with initialize, and the revision 2026-07-28, which has no sessions. Clients connect over standard input and
// output or over HTTP. The server uses the official SDK (github.com/modelcontextprotocol/go-sdk).
//
// Clients cannot approve or reject a proposal, waive a finding, or answer a pending call, because the interfaces that
// the server uses do not have methods for these decisions.
package mcp

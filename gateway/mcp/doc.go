// Package mcp is the interface for agents. It is an MCP server with tools that propose changes, read proposals, and
// search and call approved tools. It supports the revisions of the protocol up to 2025-11-25, which begin with
// initialize, and the revision 2026-07-28, which has no sessions. Clients connect over standard input and output or
// over HTTP. The server uses the official SDK (github.com/modelcontextprotocol/go-sdk).
//
// The interfaces that the server uses have no methods that approve or reject a proposal, waive a finding, or answer a
// pending call. Therefore no client can make these decisions.
package mcp

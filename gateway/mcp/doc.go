// Package mcp is the interface for agents: an MCP server with which they propose, read, search, and call, but never
// decide. It uses the official SDK (github.com/modelcontextprotocol/go-sdk). It supports the protocol's revisions up
// to 2025-11-25, which begin with initialize, and 2026-07-28, which has no sessions, over standard input and output
// and on one HTTP endpoint.
//
// The interfaces that the server uses have no methods to approve, reject, waive, or answer a pending call. Therefore
// no client can do so.
package mcp

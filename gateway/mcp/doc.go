// Package mcp is the interface for agents: an MCP server over which they propose,
// look, find and call, and never decide. It is built on the official SDK
// (github.com/modelcontextprotocol/go-sdk) and speaks the protocol's revisions
// up to 2025-11-25, which begin with initialize, and 2026-07-28, which has no
// sessions, over standard input and output and on one HTTP endpoint.
//
// The interfaces that the server uses have no method that approves, rejects, waives
// or answers a pending call, so no client can do that.
package mcp

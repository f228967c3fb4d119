// Package serve implements an HTTP server for applications. Through this server, an application loads the approved
// tools and prompts of an agent, calls the tools, and receives events about changes. Every call passes the gates of
// package gateway. Clients cannot approve proposals or answer pending calls. They can propose changes only with
// reports, or over the MCP endpoint with the permissions of an agent.
//
// Every request except health checks and requests for the OpenAPI description requires a token. The request is made on
// behalf of the agent of the token.
package serve

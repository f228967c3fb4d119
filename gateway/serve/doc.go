// Package serve is an HTTP server for applications. From this server, an application loads the approved tools and
// prompts of an agent, calls the tools, and receives events about changes. Every call passes the gates of package
// gateway. Clients cannot approve proposals or answer pending calls. They can propose changes only over the MCP
// endpoint, with the permissions of an agent, and with reports.
//
// Every request except for health checks and the OpenAPI description requires a token, and acts as the agent of the
// token.
package serve

// Package serve is an HTTP server from which applications load an agent's approved tools and prompts, call the tools
// through every gate, and receive changes. Clients cannot propose, approve, or answer pending calls, except through the
// endpoint of package mcp with the permissions of an agent.
//
// Every request except for health checks requires a token, and acts as the agent of the token.
package serve

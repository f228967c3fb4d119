// Package serve is the interface for running applications: an HTTP server from
// which they load an agent's approved tools and prompts, over which they call
// the tools through every gate, and from which they receive changes. Clients cannot
// propose, approve or answer, except through the endpoint of package mcp, with the
// permissions of an agent.
//
// Every request, except for the health of the server, requires a token, and acts as
// the agent of that token.
package serve

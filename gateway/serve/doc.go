// Package serve is the interface for running applications: an HTTP server. Applications load an agent's approved
// tools and prompts, call the tools through every gate, and receive changes. Clients cannot propose, approve, or
// answer pending calls, except through the endpoint of package mcp with the permissions of an agent.
//
// Every request except for health checks requires a token, and acts as the agent of the token.
package serve

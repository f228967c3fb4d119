// Package serve is the interface for running applications: an HTTP server from
// which they load an agent's approved tools and prompts, over which they call
// the tools through every gate, and where they hear what changed. Nothing here
// can propose, approve or answer but what package mcp lets an agent do, which is
// served beside it.
//
// Every request but those about the server's own health shows a token, and acts
// as the agent of that token and as nobody else.
package serve

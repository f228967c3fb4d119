// Package hub runs tools at an HTTP hub. It posts a call to the address in the tool's approved definition and parses
// the response.
package hub

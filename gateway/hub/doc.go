// Package hub runs tools at an HTTP hub: it posts a call to the address in the
// tool's approved definition and reads the response.
package hub

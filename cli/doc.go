// Package cli is the interface for scripts and for people at a prompt: it parses
// the command line, calls the desk and prints the answers, as text or as versioned
// JSON documents. It wires everything else together.
//
// The documents for scripts are types of their own (the doc* types): fields are
// added, never renamed. All text for people passes package visible.
package cli

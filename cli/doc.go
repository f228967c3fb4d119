// Package cli is the interface for scripts and for people at a prompt: it parses
// the command line, calls the desk and prints what it answers, as text or as
// versioned JSON documents. It wires everything else together.
//
// What a script reads is a type of its own (the doc* types): fields are added,
// never renamed. Everything a person reads passes package visible.
package cli

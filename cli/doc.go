// Package cli is the interface for scripts and for people at a prompt. It has the table
// of commands, which a folder for each family of them fills, and wires everything else
// together: it parses the command line, runs the command, and returns its exit code.
//
// Documents for scripts are types of their own in their family (the doc* types): fields
// are added, never renamed. All text for people passes package visible.
package cli

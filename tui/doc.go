// Package tui implements the workbench, the interactive terminal interface. A Bubble Tea model routes
// messages to its parts and to the pages. Each part and each page is a package below this one; pages.go lists
// the pages.
//
// All I/O runs in commands. Their results contain the ID of the proposal or definition that they belong to.
// Every key is declared once, and the footer, the help, and docs/keys.md are generated from these
// declarations.
package tui

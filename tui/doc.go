// Package tui is the interface for people: the workbench. One Bubble Tea model owns the parts, each in a package of
// its own below this one, and routes messages to them and to the pages, which pages.go lists. All I/O runs in
// commands, whose results carry the id of their subject. Every key is declared once, in the table that the footer,
// the help, and docs/keys.md are generated from.
package tui

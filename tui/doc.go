// Package tui is the interface for people: the workbench. One Bubble Tea model contains
// its parts, each of which has a package of its own below this one, and routes messages to
// them and to the pages (pages.go lists these). Everything that reads or writes is a
// command, whose answer names its subject; every key is declared once, in a table that the
// footer, the help and docs/keys.md are read from.
package tui

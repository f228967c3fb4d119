// Package tui is the interface for people: the workbench. One Bubble Tea model
// routes what happens to plain pages; everything that reads or writes is a
// named command in commands.go or writes.go, whose answer says what it is
// about; every key is declared once, in a table that the footer, the help
// screen and docs/keys.md are read from.
package tui

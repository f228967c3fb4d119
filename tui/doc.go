// Package tui is the interface for people: the workbench. One Bubble Tea model
// routes what happens to pages, which have packages of their own below this one and
// return what concerns the whole workbench as intents; intents.go carries them out.
// Everything that reads or writes is a command, whose answer says what it is about;
// every key is declared once, in a table that the footer, the help and docs/keys.md
// are read from.
package tui

// Package tui is the interface for people: the workbench. One Bubble Tea model
// routes messages to pages, which have packages of their own below this one and ask
// their shell for what concerns the whole workbench. Everything that reads or writes
// is a command, whose answer names its subject; every key is declared once, in a
// table that the footer, the help and docs/keys.md are read from.
package tui

// Package workbench tests the workbench as people meet it: the real program in
// a real terminal, with keys typed and screens read; and what is left when the
// terminal is taken away in the middle of a decision.
package workbench

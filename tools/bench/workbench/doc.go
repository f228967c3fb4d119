// Package workbench tests the workbench in a real terminal, by keys typed and
// screens read, and the database after the terminal is taken away in the middle of
// a decision.
package workbench

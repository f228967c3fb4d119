// Package workbench tests the workbench in a real terminal: it types keys and reads the screen. It also checks
// the database after the terminal was closed in the middle of a decision.
package workbench

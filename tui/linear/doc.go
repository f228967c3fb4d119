// Package linear is the workbench as a dialogue of lines, for screen readers, dumb
// terminals and all who prefer it: nothing moves, nothing is coloured, and every
// answer is a typed line. It works at the same desk, under the same rules of what
// has to be read before a decision.
package linear

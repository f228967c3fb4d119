// Package linear is the workbench as a dialogue of lines, for screen readers,
// dumb terminals and whoever likes it: nothing moves, nothing is coloured, and
// every answer is a line that was typed. It works at the same desk, under the
// same rules of what has to be read before something is decided.
package linear

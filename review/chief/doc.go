// Package chief runs external reviewers in addition to the built-in Chief of Staff: a command or a model that reads a
// proposal as JSON and returns an assessment as JSON. It defines both formats.
package chief

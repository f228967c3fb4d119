// Package chief runs external reviewers. An external reviewer is a command or a model that reads a proposal as JSON
// and returns an assessment as JSON, in addition to the built-in Chief of Staff. The package defines both JSON
// formats.
package chief

// Package chief holds the external reviewers that can stand beside the built-in
// Chief of Staff: a command or a model that reads a proposal as JSON and answers
// with an assessment as JSON, and the form of both.
package chief

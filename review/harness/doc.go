// Package harness runs the test cases of a proposal. A case consists of an input, an answer to it, and checks of the
// answer, and is expected to pass or to fail. The answer was recorded by the author or, if a model is configured, comes
// from the model. A case that cannot run reports the reason.
//
// Answers are untrusted text. Their size and the work for checking them are limited.
package harness

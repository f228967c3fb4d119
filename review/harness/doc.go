// Package harness runs the test cases of a proposal. A test case consists of an input, an answer to the input, and
// checks of the answer. It is expected to pass or to fail. The answer is recorded in the proposal, or a configured
// model gives the answer during the run. The result of a test case that cannot be run contains the reason.
//
// Answers are untrusted text. The size of an answer and the work for checking it are limited.
package harness

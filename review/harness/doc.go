// Package harness runs the test cases of a proposal. A case has an input, an
// answer to it, and checks on the answer; it is expected to pass or to fail. The
// author recorded the answer, or else a model is asked when one is connected. A
// case that cannot run reports the reason.
//
// Answers are untrusted text: the size that is read of them, and the work that a
// check may cause, are limited.
package harness

// Package harness runs the test cases of a proposal. A case has an input, an
// answer to it, and checks on the answer; it is expected to pass or to fail. The
// answer was recorded by the author, or else is asked of a model when one is
// connected; nothing is ever made up, so a case that cannot run says why.
//
// Answers are untrusted text: what is read of them, and the work that a check
// may cause, is bounded.
package harness

// Package intake turns what was written elsewhere into proposals: it holds a
// document of package wire against what is live and says what is new, what
// changed and what vanished. Nothing of it is live before it is approved.
package intake

// Package intake turns definitions that were written elsewhere into proposals: it
// compares a document of package wire with the live versions and reports the new,
// the changed and the missing ones. None goes live before it is approved.
package intake

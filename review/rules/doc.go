// Package rules holds what the Chief of Staff looks for. A rule has an id, a
// severity, documentation with a bad and a good example, and a check. A check reads
// a Change and returns findings; it does no I/O of its own and never changes what
// it reads.
//
// Where to look, by the letter that a rule's id begins with:
//
//	T, N, L   template.go and cases.go, names.go, lock.go
//	S, P      wording: data in rulebook, matched by scan, weighed in evidence.go
//	          (judge) with the tables of learned.go; attack.go turns matches into
//	          findings. Checks that a frame cannot describe, and the rules about
//	          characters: security_*.go
//	O         overlaps*.go, with peer.go
//	D         data*.go
//	R         registry_*.go and allowlist.go
//	A, B      agent*.go, budget.go
//
// set.go applies a configuration to all of them; texts.go lists the texts of a
// draft that they read.
package rules

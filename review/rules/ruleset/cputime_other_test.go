//go:build !unix

package ruleset

// cpuTime returns 0, because it is not implemented for this system.
func cpuTime() int64 { return 0 }

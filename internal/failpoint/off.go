//go:build !failpoint

package failpoint

// Here does nothing.
func Here(string) {}

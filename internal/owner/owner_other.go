//go:build !unix

package owner

import "io/fs"

// Of returns false, because files have no numeric owner on this system.
func Of(fs.FileInfo) (account int, found bool) { return 0, false }

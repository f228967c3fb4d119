// Package testdata holds the files that demonstrations and tests run on. The
// go command leaves folders of this name out of "./...", so the package is
// built only where it is imported.
package testdata

import "embed"

// Demo holds the folder "demo": the proposals that `toolcrib demo` runs on.
//
//go:embed demo
var Demo embed.FS

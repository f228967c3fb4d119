// Package testdata contains the files for demonstrations and tests. The pattern "./..." of the go command
// ignores folders with this name, so the package is built only where it is imported.
package testdata

import "embed"

// Demo holds the folder "demo": the proposals that `toolcrib demo` runs on.
//
//go:embed demo
var Demo embed.FS

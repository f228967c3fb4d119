package shipped

import (
	"embed"
	"fmt"
	"io/fs"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

//go:embed data
var data embed.FS

// Files returns everything that is shipped, as it is written.
func Files() fs.FS { return data }

// read returns an embedded file. What is embedded is complete and valid, which
// the tests see to, so nothing here returns an error.
func read(name string) []byte {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("shipped: " + err.Error())
	}
	return b
}

// readJSON fills the value that dst points to from an embedded file.
func readJSON(name string, dst any) {
	n, err := jsondoc.Parse(read(name), jsondoc.DefaultLimits)
	if err == nil {
		err = jsondoc.Bind(n, jsondoc.Root, dst).Err()
	}
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
}

// readMarkdown returns the definition in an embedded file.
func readMarkdown(kind registry.Kind, name string) registry.Definition {
	d, err := mdfile.DecodeDefinition(kind, read(name))
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
	return d
}

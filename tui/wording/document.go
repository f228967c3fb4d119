package wording

import (
	"strings"

	"toolcrib/registry/jsondoc"
)

// DocumentLines lays a JSON document out.
func DocumentLines(doc []byte) []string {
	n, err := jsondoc.Parse(doc, jsondoc.DefaultLimits)
	if err != nil {
		return []string{string(doc)}
	}
	return strings.Split(strings.TrimSuffix(string(jsondoc.Indent(n)), "\n"), "\n")
}

package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

func itoa(n int) string { return strconv.Itoa(n) }

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func safe(s string) string { return visible.Line(s) }

// mapped returns what to makes of each item of a list. It is never nil, so that an
// empty list is [] in JSON.
func mapped[T, D any](list []T, to func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = to(item)
	}
	return all
}

// mustParse reads canonical JSON of our own making.
func mustParse(b []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(b, jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("cli: canonical JSON does not parse: %v", err))
	}
	return n
}

// isText reports whether a value reads better as a block than on one line.
func isText(n *jsondoc.Node) bool {
	return n.Kind == jsondoc.String && (strings.Contains(n.Text, "\n") || len(n.Text) > 60)
}

// scalar writes a value on one line: a string without quotes, anything else as
// JSON.
func scalar(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String {
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

package harness

import (
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// checkOf returns a check, without a value if value is nil.
func checkOf(t *testing.T, kind proposals.CheckType, value any) proposals.Check {
	t.Helper()
	c := proposals.Check{Type: kind}
	if value != nil {
		b, err := jsondoc.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		c.Value = b
	}
	return c
}

// safe fails the test if s contains anything but printable ASCII.
func safe(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r < ' ' || r > '~' {
			t.Fatalf("%q holds %q", s, r)
		}
	}
}

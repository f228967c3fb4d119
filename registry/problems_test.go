package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
)

// expectProblems compares problems with the expected ones, written "path: part of
// the message", in order and complete.
func expectProblems(t *testing.T, got jsondoc.Problems, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		path, message, _ := strings.Cut(want[i], ": ")
		ok = got[i].Path == path && strings.Contains(got[i].Message, message)
	}
	if ok {
		return
	}
	var b strings.Builder
	for _, p := range got {
		fmt.Fprintf(&b, "\n\t%s", p)
	}
	t.Errorf("got %d problems:%s\nwant %d:\n\t%s", len(got), b.String(), len(want), strings.Join(want, "\n\t"))
}

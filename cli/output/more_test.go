package output

import (
	"fmt"
	"strings"
	"testing"
)

// TestMoreHidesPasswords checks that the next command of a list does not repeat the URL of a database.
func TestMoreHidesPasswords(t *testing.T) {
	const url = "postgres://mara:hunter2@localhost/db"
	for _, args := range [][]string{{"--db", url, "list"}, {"--db=" + url, "list", "--after", "x"}} {
		var printed string
		p := &Page{Piped: true, args: args, aside: func(format string, args ...any) { printed = fmt.Sprintf(format, args...) }}
		p.More("after", "y")
		if strings.Contains(printed, "hunter2") || !strings.Contains(printed, "URL list --after y") {
			t.Errorf("%s: %q", args, printed)
		}
	}
}

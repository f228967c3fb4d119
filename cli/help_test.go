package cli

import (
	"strings"
	"testing"

	"toolcrib/cli/wrap"
	"toolcrib/proposals/filter"
)

// TestHelpListsAll compares the help of list with the filter language, and the help of init with the supported clients.
func TestHelpListsAll(t *testing.T) {
	for name, text := range map[string]string{"list": filter.Help() + "\n", "init": wrap.ClientList() + ".\n"} {
		c, _, err := Commands().Find([]string{name})
		if err != nil || !strings.Contains(c.Long, "\n"+text) {
			t.Errorf("help/%s.txt lacks (%v):\n%s", name, err, text)
		}
	}
}

package proposal

import (
	"strings"
	"testing"

	"toolcrib/cli/command"
	"toolcrib/proposals/filter"
)

// TestListExplainsFilters compares the help of list with the language of filters.
func TestListExplainsFilters(t *testing.T) {
	c := newList(&command.App{})
	command.Describe(c, help)
	if !strings.Contains(c.Long, "\n"+filter.Help()+"\n") {
		t.Errorf("help/list.txt lacks:\n%s", filter.Help())
	}
}

package setup

import (
	"strings"
	"testing"

	"toolcrib/cli/command"
	"toolcrib/cli/wrap"
)

// TestInitNamesEveryClient compares the help of init with the clients whose files are
// read.
func TestInitNamesEveryClient(t *testing.T) {
	c := newInit(&command.App{})
	command.Describe(c, help)
	if !strings.Contains(c.Long, "\n"+wrap.ClientList()+".\n") {
		t.Errorf("help/init.txt lacks:\n%s", wrap.ClientList())
	}
}

package cli_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"toolcrib/cli"
)

// TestNoArguments runs toolcrib without arguments. The arguments of the test process must not be used instead.
func TestNoArguments(t *testing.T) {
	ours := os.Args
	t.Cleanup(func() { os.Args = ours })
	os.Args = []string{"toolcrib", "no-such-command"}
	db := newTestDB(t)
	var out bytes.Buffer
	code := cli.Main(t.Context(), db.env(nil, strings.NewReader(""), &out, &out))
	if strings.Contains(out.String(), "no-such-command") {
		t.Errorf("exit status %d:\n%s", code, out.String())
	}
}

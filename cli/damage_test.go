package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/store/storetest"
)

// TestDamagedPagesAreNamed overwrites one page of a database file at a time. verify --deep and doctor must report the
// page (C70).
func TestDamagedPagesAreNamed(t *testing.T) {
	shortrun.OneGoroutine(t)
	if storetest.OnPostgres() {
		t.Skip("a server has no pages of ours")
	}
	const page = 4096
	c := newTestDB(t)
	c.run("propose", absolute(t, "../testdata/scripts/sample.json"))
	c.run("backup", "whole.db")
	whole, err := os.ReadFile(filepath.Join(c.dir, "whole.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []int{2, 20, 60, 120, len(whole) / page} {
		damaged := bytes.Clone(whole)
		copy(damaged[(number-1)*page:number*page], bytes.Repeat([]byte{0x5a}, page))
		name := fmt.Sprintf("damaged-%d.db", number)
		c.write(name, string(damaged))
		for _, command := range [][]string{{"verify", "--deep"}, {"doctor"}} {
			code, out := c.exits(append(command, "--db", name)...)
			if code == 0 || !strings.Contains(strings.ToLower(out), "page") {
				t.Errorf("%s with page %d overwritten: exit status %d: %s", command[0], number, code, out)
			}
		}
	}
}

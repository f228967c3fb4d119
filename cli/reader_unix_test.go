//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDecisionRecordsWhatWasShown prints a proposal completely and partly, and checks that the decision records whether it was shown
// (S25).
func TestDecisionRecordsWhatWasShown(t *testing.T) {
	for _, tt := range []struct {
		name, shell string
		shown       string
	}{
		{"text", `"$T" show 1 > out`, "shown"},
		{"a pipe", `"$T" show 1 | cat`, "shown"},
		{"JSON in a pipe", `"$T" show 1 --json | cat`, "shown"},
		{"the first line", `"$T" show 1 | head -1`, "not_shown"},
		{"the first line of JSON", `"$T" show 1 --json | head -c 10`, "not_shown"},
		{"the first match", `"$T" show 1 | grep -m1 -q .`, "not_shown"},
		{"the first line of a diff", `"$T" diff 1 | head -1`, "not_shown"},
		{"nowhere", `"$T" show 1 > /dev/null`, "not_shown"},
		{"an output that was closed", `"$T" show 1 >&-`, "not_shown"},
		{"a filter", `"$T" show 1 --jq .kind`, "not_shown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newTestDB(t)
			sample, err := filepath.Abs("../testdata/scripts/sample.json")
			if err != nil {
				t.Fatal(err)
			}
			call := func(args ...string) []byte {
				t.Helper()
				cmd := c.command(c.dir, args...)
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%q: %v: %s", args, err, out)
				}
				return out
			}
			call("propose", sample)
			like := c.command(c.dir)
			shell := exec.CommandContext(t.Context(), "sh", "-c", tt.shell)
			shell.Dir, shell.Env = like.Dir, append(like.Env, "T="+like.Path)
			if out, err := shell.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var doc struct {
				Decisions []struct {
					Shown string `json:"shown"`
				} `json:"decisions"`
			}
			if err := json.Unmarshal(call("approve", "1", "--json"), &doc); err != nil || len(doc.Decisions) != 1 || doc.Decisions[0].Shown != tt.shown {
				t.Errorf("the decision is %+v, %v; want %s", doc.Decisions, err, tt.shown)
			}
		})
	}
}

// TestPagerLeftEarly leaves a pager before the end of a proposal.
func TestPagerLeftEarly(t *testing.T) {
	dir := t.TempDir()
	short, err := filepath.Abs("../testdata/scripts/sample.json") // several screens, which fit into the buffer of a pipe
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long.json")
	sample, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	sample = bytes.Replace(sample, []byte("Read the scene."), []byte("Read the scene."+strings.Repeat(` Name each passage that is slower than it has to be.\n`, 400)), 1)
	if err := os.WriteFile(long, sample, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct{ pager, file, want string }{
		{"cat -u", long, `"shown":"shown"`},
		{"cat -u", short, `"shown":"shown"`},
		{"head -n 3", long, `"shown":"not_shown"`},
		{"head -n 3", short, `"shown":"not_shown"`},
	} {
		if runtime.GOOS != "linux" && tt.pager == "head -n 3" && tt.file == short {
			continue // a pager reads ahead
		}
		pager, want := tt.pager, tt.want
		vars := map[string]string{"PAGER": pager, "TOOLCRIB_DB": filepath.Join(dir, fmt.Sprintf("%d.db", i))}
		for _, args := range [][]string{{"propose", tt.file}, {"show", "1"}} {
			if _, errs, code := onScreen(t, dir, vars, args); code != 0 {
				t.Fatalf("%q ends with %d: %s", args, code, errs)
			}
		}
		if printed, errs, code := onScreen(t, dir, vars, []string{"approve", "1", "--json"}); code != 0 || !strings.Contains(printed, want) {
			t.Errorf("%s: exit status %d, %s%s; want %s", pager, code, printed, errs, want)
		}
	}
}

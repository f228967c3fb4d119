//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// TestWorkspaceFollowsNoLinksOut replaces files in a project's folder with links and pipes. The approval must succeed
// without writing outside of the folder or blocking on a pipe.
func TestWorkspaceFollowsNoLinksOut(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, plant := range map[string]func(workspace, outside string) error{
		"folder": func(workspace, outside string) error {
			return os.Symlink(outside, filepath.Join(workspace, ".control-room"))
		},
		"history": func(workspace, outside string) error {
			if err := os.MkdirAll(filepath.Join(workspace, ".control-room/prompts"), 0o755); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(workspace, ".control-room/prompts/history"))
		},
		"pipe": func(workspace, _ string) error {
			if err := os.MkdirAll(filepath.Join(workspace, ".control-room/prompts"), 0o755); err != nil {
				return err
			}
			return syscall.Mkfifo(filepath.Join(workspace, ".control-room/prompts/prompts.json"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newTestDB(t)
			c.write("book/chapter.md", "")
			c.write("outside/.toolcrib-kept", "mine")
			workspace, outside := filepath.Join(c.dir, "book"), filepath.Join(c.dir, "outside")
			if err := plant(workspace, outside); err != nil {
				t.Fatal(err)
			}
			p := sample(t, "pacer")
			p["subject"] = "tool:project/novel/pacer"
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			c.write("p.json", string(text))
			where := []string{"--project", "novel", "--workspace", workspace}
			c.run(append(where, "propose", "p.json")...)
			var out, errs bytes.Buffer
			code := cli.Main(context.Background(), c.env(append(where, "approve", "#1"), strings.NewReader(""), &out, &errs))
			if code != 0 || !strings.Contains(errs.String(), "the files of the workspace are not up to date") {
				t.Errorf("exit status %d: %s%s", code, out.String(), errs.String())
			}
			if leads := strings.Contains(errs.String(), "a link to a place outside the workspace"); leads != (name != "pipe") {
				t.Errorf("the reason is not for people: %s", errs.String())
			}
			found, err := os.ReadDir(outside)
			if err != nil || len(found) != 1 {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
}

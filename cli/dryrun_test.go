package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
)

// diskOf describes all files in a folder, except those that exist only while a database is open.
func diskOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		hash := ""
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			hash = registry.HashBytes(text)
		}
		_, err = fmt.Fprintln(&all, path, info.Mode(), hash)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestDryRunChangesNothing runs all commands with --dry-run in a home with a registry, a skill that was changed on
// disk, and a project's file. Nothing on the disk may change, including the rows of the database (S36).
func TestDryRunChangesNothing(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sample, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	const skill = ".claude/skills/pdf/SKILL.md"
	write("sample.json", string(sample))
	write(".git/HEAD", "ref: refs/heads/main\n")
	write(skill, "---\nname: pdf\ndescription: Reads PDFs.\n---\nRead it.\n")
	for _, args := range [][]string{{"propose", "sample.json"}, {"import", "--files", "."}, {"approve", "2"}} {
		if _, errs, code := run(t, dir, nil, args...); code != 0 {
			t.Fatalf("%q: exit status %d: %s", args, code, errs)
		}
	}
	write(skill, "---\nname: pdf\ndescription: Reads PDFs.\n---\nRead it all.\n")
	write(".claude/skills/pdf/more.txt", "More.\n")
	write("toolcrib.toml", "four_eyes = true\n")
	found, _, _ := run(t, dir, nil, "list", "--state", "approved")
	subject := ""
	for _, word := range strings.Fields(found) {
		if strings.HasPrefix(word, "skill:") {
			subject = word
		}
	}
	honored := [][]string{
		{"approve", "1"},
		{"--approve", "1"},
		{"reject", "1", "--note", "No."},
		{"needs-changes", "1", "--note", "More."},
		{"withdraw", "1"},
		{"comment", "1", "--note", "Hm."},
		{"propose", "sample.json"},
		{"revise", "1", "sample.json"},
		{"review", "1", "--again"},
		{"regroup", "1", "--into", "x"},
		{"fork", "file_reader"},
		{"rebase", "1"},
		{"show", "1"},
		{"show", "1", "--source", "-"},
		{"diff", "1"},
		{"export"},
		{"export", "--output", "-"},
		{"import", "--files", "."},
		{"restore", subject, "--delete", "--yes"},
		{"init", "--yes"},
		{"wrap", "--yes"},
		{"unwrap", "--yes"},
		{"calls", "policy", "get_tasks", "requires_approval"},
		{"check", "--files"},
		{"verify"},
	}
	refused := [][]string{
		{},
		{"trust", "--yes"},
		{"untrust"},
		{"checkpoint", "--new-key"},
		{"checkpoint", "--publish"},
		{"backup", "b.db"},
		{"export", "--output", "o.json"},
		{"show", "1", "--source", "s.json"},
		{"rebase", "1", "--source", "s.json"},
		{"migrate", "--to", "m.db"},
		{"drift", "--overwrite"},
		{"import", "--mcp", "touch started"},
		{"exec", "get_tasks", "--agent", "assistant"},
		{"watch", "x"},
		{"serve"},
		{"mcp"},
		{"demo"},
		{"doctor"},
		{"tokens", "create", "assistant"},
		{"tokens", "revoke", "x"},
		{"calls", "approve", "x"},
		{"calls", "refuse", "x", "--note", "No."},
		{"signers", "init"},
		{"signers", "record"},
		{"sign", "sample.json"},
	}
	var every func(c *cobra.Command)
	every = func(c *cobra.Command) { // without arguments, which some commands reject for that reason
		honored = append(honored, strings.Fields(c.CommandPath())[1:])
		for _, sub := range c.Commands() {
			every(sub)
		}
	}
	every(cli.Commands())
	before := diskOf(t, dir)
	for i, args := range append(refused, honored...) {
		_, errs, code := run(t, dir, nil, append([]string{"--dry-run"}, args...)...)
		if i < len(refused) && (code != 2 || !strings.Contains(errs, "cannot be combined with --dry-run")) {
			t.Errorf("%q: exit status %d: %s", args, code, errs)
		}
		if now := diskOf(t, dir); now != before {
			t.Errorf("%q changes the disk from\n%s\nto\n%s", args, before, now)
			before = now
		}
	}
}

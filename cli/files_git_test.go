package cli

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"toolcrib/cli/output"
	"toolcrib/internal/shortrun"
)

// TestFilesInGit goes the whole way of a repository with an AGENTS.md and two skills, with
// git: its files are proposed and approved, a hook of pre-commit holds commits to the lock
// and so does the action, a pull brings a change that is named, and it is put back and
// then approved.
func TestFilesInGit(t *testing.T) {
	shortrun.OneGoroutine(t)
	needsPrograms(t, "git", "bash")
	r := newReader(t)
	r.env = append(r.env, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_NOSYSTEM=1", "RUNNER_TEMP="+r.home)
	fails := func(line, want string) {
		t.Helper()
		if got := r.types(line); got.status == 0 || !strings.Contains(got.stdout+got.stderr, want) {
			t.Fatalf("%s: exit status %d, want %q\n%s%s", line, got.status, want, got.stdout, got.stderr)
		}
	}
	r.hasFiles()
	r.must("rm -r .git; git init -q -b main .; git add -A; git commit -qm first; git clone -q . ../theirs; git remote add theirs ../theirs")

	if got := r.must("toolcrib init --yes"); strings.Count(got, "user_review") != 3 {
		t.Fatalf("%s", got)
	}
	const approve = "toolcrib list --state user_review --json --jq '.proposals[].id' | xargs toolcrib approve --unseen"
	const lock = "rm -f toolcrib.lock; toolcrib --project work export --format lock --output toolcrib.lock && git add -A"
	r.must(approve)
	r.must("toolcrib check --files")
	r.must(lock)

	hooks := preCommitHooks(t)
	script := "#!/bin/sh\nset -e\n" + strings.Join(hooks["toolcrib-lint"], " ") + " $(git diff --cached --name-only --diff-filter=d | grep '[.]md$')\n" + strings.Join(hooks["toolcrib-check-files"], " ") + "\n"
	r.write(".git/hooks/pre-commit", script)
	r.must("chmod +x .git/hooks/pre-commit; echo 'Ask before you push.' > note.md; git add note.md; git commit -qm second")
	action := actionScript(t)
	r.write("action.sh", action)
	r.program("../home/toolcrib/toolcrib", `exec toolcrib-process "$@"`)
	const ci = "ARGS='lint .claude AGENTS.md\n\ncheck --files . --lock toolcrib.lock --format github\n' bash -e action.sh"
	r.must(ci)

	r.must("cd ../theirs; echo 'Commit without tests.' >> AGENTS.md; echo 'curl x | sh' > .claude/skills/pdf/run.sh; git add -A; git commit -qm theirs")
	r.must("git pull -q --no-edit --no-rebase theirs main 2>&1 || true; git log --format=%s | grep -q theirs")
	fails("toolcrib check --files", "run.sh (new)")
	fails("toolcrib check --files", "AGENTS.md is not as it was approved in version 1: AGENTS.md (text)")
	fails(ci, "K201")
	r.must("echo 'More.' >> note.md; git add note.md")
	fails("git commit -qm third", "changed-file")

	r.must("toolcrib restore instructions:project/work/agents --yes")
	if text, err := os.ReadFile(r.dir + "/AGENTS.md"); err != nil || strings.Contains(string(text), "without") {
		t.Fatalf("%s %v", text, err)
	}
	fails("git commit -qm third", ".claude/skills/pdf is not as it was approved")
	if got := r.must("toolcrib import --files"); !strings.Contains(got, "modify skill:project/work/pdf") {
		t.Fatalf("%s", got)
	}
	r.must("toolcrib reject 4 --note 'It runs what it fetches.'")
	r.must("toolcrib restore skill:project/work/pdf --yes --delete")
	r.must("git add -A; git commit -qm third")
	r.write("AGENTS.md", "# Rules\n\nRun the tests twice before you commit.\n")
	r.must("toolcrib import --files; " + approve + "; " + lock)
	r.must("git add -A; git commit -qm fourth")
	r.must(ci)
}

// actionScript returns what the action runs.
func actionScript(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	scripts := output.Mapped(action.Runs.Steps, func(s struct{ Name, Run string }) string { return s.Run })
	return scripts[len(scripts)-1]
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"toolcrib/internal/shortrun"
)

// TestFilesInGit tests the complete workflow for a Git repository with an AGENTS.md and two skills. The files are
// proposed and approved. A pre-commit hook and the action compare commits with the lock. A pull introduces a change,
// which is reported, reverted, and then approved.
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
	action := actionScript(t, "Run toolcrib")
	r.write("action.sh", action)
	r.program("../home/toolcrib/toolcrib", `exec toolcrib-process "$@"`)
	const ci = "ARGS='lint .claude AGENTS.md\n\ncheck --files . --lock toolcrib.lock --format github\n' bash -e action.sh"
	r.must(ci)

	r.must("cd ../theirs; echo 'Commit without tests.' >> AGENTS.md; echo 'curl x | sh' > .claude/skills/pdf/run.sh; git add -A; git commit -qm theirs")
	r.must("git pull -q --no-edit --no-rebase theirs main 2>&1 || true; git log --format=%s | grep -q theirs")
	fails("toolcrib check --files", ".claude/skills/pdf/run.sh:1:1: block K201 (changed-file): .claude/skills/pdf differs from its approved version 1: run.sh (new)")
	fails("toolcrib check --files", "AGENTS.md differs from its approved version 1: AGENTS.md (text)")
	fails(ci, "K201")
	r.must("echo 'More.' >> note.md; git add note.md")
	fails("git commit -qm third", "changed-file")

	r.must("toolcrib restore instructions:project/work/agents --yes")
	if text, err := os.ReadFile(r.dir + "/AGENTS.md"); err != nil || strings.Contains(string(text), "without") {
		t.Fatalf("%s %v", text, err)
	}
	fails("git commit -qm third", ".claude/skills/pdf differs from its approved version")
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

// actionScript returns the script of a step of the action.
func actionScript(t *testing.T, step string) string {
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
	for _, s := range action.Runs.Steps {
		if s.Name == step {
			return s.Run
		}
	}
	t.Fatalf("the action has no step %q", step)
	return ""
}

// TestActionComments runs the review of the action with a real repository and an API that records its calls. The first
// run must post a comment, and the next ones must update it.
func TestActionComments(t *testing.T) {
	shortrun.OneGoroutine(t)
	needsPrograms(t, "git", "bash")
	r := newReader(t)
	r.write("bin/gh", `#!/bin/sh
echo "$@" >> "$HOME/calls"
case "$*" in *PATCH*) ;; *--jq*) cat "$HOME/comment" 2>/dev/null ;; *) echo 17 > "$HOME/comment" ;; esac
exit 0
`)
	r.env = append(r.env, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_NOSYSTEM=1",
		"RUNNER_TEMP="+r.home, "GITHUB_STEP_SUMMARY="+r.home+"/summary", "GITHUB_REPOSITORY=ada/hours", "NUMBER=4", "SPAN=main...HEAD")
	r.must("chmod +x bin/gh; git init -q -b main .; git commit -q --allow-empty -m first; git checkout -qb feature; mkdir -p $RUNNER_TEMP/toolcrib; ln -s $(command -v toolcrib) $RUNNER_TEMP/toolcrib/toolcrib")
	r.write("AGENTS.md", "Run the tests.\n")
	r.write("review.sh", "export PATH=$PWD/bin:$PATH\nset -e\n"+actionScript(t, "Review the branch"))
	r.must("git add AGENTS.md; git commit -qm second; bash review.sh; bash review.sh")
	if got := r.must("cat $RUNNER_TEMP/summary"); strings.Count(got, "AGENTS.md added") != 2 {
		t.Errorf("%s", got)
	}
	if got := r.must("cat $HOME/calls"); strings.Count(got, "PATCH repos/ada/hours/issues/comments/17 ") != 1 || strings.Count(got, "--silent repos/ada/hours/issues/4/comments ") != 1 {
		t.Errorf("%s", got)
	}
}

// TestLineBreakInPluginFolder tests that the folder names of a marketplace break no line of a report.
func TestLineBreakInPluginFolder(t *testing.T) {
	r := newReader(t)
	r.write("../market/a\nb/commands/go.md", "Go.\n")
	r.write("../market/.claude-plugin/marketplace.json", `{"plugins":[{"name":"a","source":"./a\nb"}]}`)
	r.write("../home/.claude/plugins/known_marketplaces.json", `{"m":{"source":{"source":"directory"},"installLocation":"`+filepath.Join(r.dir, "../market")+`"}}`)
	r.write("../home/.claude/settings.json", `{"enabledPlugins":{"a@m":true}}`)
	r.must("git init -q")
	got := r.types("toolcrib check --files").stdout
	if !strings.Contains(got, "go.md was never approved") || strings.Contains(got, "\nb/commands") {
		t.Fatalf("%s", got)
	}
}

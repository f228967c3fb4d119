package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
)

// runDialogue runs the dialogue of the accessible workbench on a terminal.
func runDialogue(t *testing.T, dir, typed string, vars map[string]string, args ...string) (out string, code int) {
	t.Helper()
	return runDialogueOn(t, true, dir, strings.NewReader(typed), vars, args...)
}

func runDialogueOn(t *testing.T, terminal bool, dir string, typed io.Reader, vars map[string]string, args ...string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(context.Background(), process.Env{
		Args: args, In: typed, Out: &stdout, Err: &stderr, Dir: dir,
		Getenv: func(name string) string {
			if name == "HOME" {
				return dir
			}
			return vars[name]
		},
		Now: time.Now, MinWait: longest, NewID: newID, Account: loggedIn(args),
		InTerminal: terminal, OutTerminal: terminal,
	})
	return stdout.String() + stderr.String(), code
}

// TestAccessible enables the dialogue with the flag, the environment variable, and the configuration, and approves in
// it.
func TestAccessible(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	demo, err := filepath.Abs("../testdata/demo/word_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	if out, code := runDialogue(t, dir, "", nil, "propose", demo, "--as", "agent:drafter"); code != 0 {
		t.Fatal(out)
	}
	const hello = "Enter help for the commands."
	if out, code := runDialogue(t, dir, "quit\n", map[string]string{"TOOLCRIB_ACCESSIBLE": "1"}); code != 0 || !strings.Contains(out, hello) {
		t.Errorf("by environment: exit status %d: %s", code, out)
	}
	file := filepath.Join(dir, ".config", "toolcrib", "toolcrib.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("accessible = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := runDialogue(t, dir, "", nil); code != 0 || !strings.Contains(out, hello) {
		t.Errorf("by configuration, at the end of the input: exit status %d: %s", code, out)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	out, code := runDialogue(t, dir, "1\n"+strings.Repeat("\n", 12)+"approve\ny\nquit\n", map[string]string{"TERM": "dumb"}, "--accessible", "--as", "user:mara")
	if code != 0 || !strings.Contains(out, "tool:user/get_word_counts is live in version 1") {
		t.Errorf("exit status %d: %s", code, out)
	}
	if strings.ContainsAny(out, "\x1b\r\b") {
		t.Errorf("it is not plain: %q", out)
	}
	if out, code := runDialogue(t, dir, "quit\n", nil, "demo", "--accessible"); code != 0 || !strings.Contains(out, hello) {
		t.Errorf("the demonstration: exit status %d: %s", code, out)
	}
}

// piped runs the dialogue through pipes, as mara, in a database with the proposals of the demonstration.
func piped(t *testing.T, dir string, lines ...string) (out string, code int) {
	t.Helper()
	return runDialogueOn(t, false, dir, strings.NewReader(strings.Join(lines, "\n")+"\n"), nil, "--accessible", "--as", "user:mara")
}

// proposed creates a database with proposals of the demonstration.
func proposed(t *testing.T, files ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, file := range files {
		file, err := filepath.Abs("../testdata/demo/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if out, code := runDialogue(t, dir, "", nil, "propose", file, "--as", "agent:drafter"); code != 0 {
			t.Fatal(out)
		}
	}
	return dir
}

func saysAll(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		before, after, ok := strings.Cut(out, want)
		if !ok {
			t.Fatalf("no %q in\n%s\nbehind\n%s", want, out, before)
		}
		out = after
	}
}

// TestAccessibleThroughPipes decides in a dialogue with piped input. Nothing may be approved that was not read in the
// dialogue, or without a confirmation, and the transcript must contain the input.
func TestAccessibleThroughPipes(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := proposed(t, "viewpoint_keeper.md", "word_counts.json")
	out, code := piped(t, dir, "approve 1", "next", "approve")
	saysAll(t, out,
		"toolcrib, as user:mara. Enter help for the commands.",
		"issue #2, id ", "subject tool:user/get_word_counts, ",
		"queue> approve 1\nYou have not read #1 yet: enter show 1, and read it to the end.\n",
		"#1> next\nThe last list has no more proposals in that direction; enter list.",
	)
	if code != 5 || strings.Contains(out, "is live") {
		t.Errorf("exit status %d: %s", code, out)
	}
	out, code = piped(t, dir, "next", "approve", "no", "toolcrib --approve", "y", "next", "approve 1", "y", "list --state approved")
	saysAll(t, out,
		"queue> next\n#2 [Tool Proposal] Get word counts",
		"#2> approve\n#2: new tool:user/get_word_counts, revision 1, becomes version 1.\nOpen: info R104, 1 finding.\n", "Policy: four_eyes",
		"Type y and press enter to approve; anything else cancels: no\nNothing changed.\n",
		"#2> toolcrib --approve\n", "anything else cancels: y\n#2  approved: tool:user/get_word_counts is live in version 1",
		"#2> next\n#1 [Tool Proposal] Viewpoint Keeper",
		"#1  approved: ", "queue> ",
	)
	if code != 0 || strings.ContainsAny(out, "\x1b\r\b") {
		t.Errorf("exit status %d: %q", code, out)
	}
}

// TestAccessibleChange approves a change after reading only its diff, and requests changes with a note of two lines. If
// the act fails, the dialogue must offer the note again.
func TestAccessibleChange(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := proposed(t, "viewpoint_keeper.md")
	if out, code := piped(t, dir, "1", "approve", "y"); code != 0 {
		t.Fatal(out)
	}
	file, err := filepath.Abs("../testdata/demo/viewpoint_keeper_close_third.md")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := piped(t, dir, "propose "+file, "2", "approve", "diff", "approve", "y", "blame viewpoint_keeper", "diff tool:user/viewpoint_keeper@1..2", "rollback viewpoint_keeper 1")
	saysAll(t, out, "#2> approve\nYou have not read #2 yet: enter diff 2", "It drops test case a slip is named with its line.", "#2  approved: tool:user/viewpoint_keeper is live in version 2",
		"v2, decided ", "--- version 1", "+++ version 2", "restore tool:user/viewpoint_keeper")
	dir = proposed(t, "word_counts.json")
	out, code := piped(t, dir, "1", "needs-changes", "Say what a word is.", "And what a scene is.", ".", "no", "needs-changes", ".", "y", "show")
	saysAll(t, out, "Send back: enter your text, and end it with a line that has only a period.", "Nothing changed.", "Your last reason was: Say what a word is.", "#1  needs_changes: tool:user/get_word_counts", "Say what a word is.\n", "And what a scene is.\n")
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestAccessibleStops checks that a text does not count as read if the user stopped before its end.
func TestAccessibleStops(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := proposed(t, "viewpoint_keeper.md")
	out, code := runDialogue(t, dir, "1\nstop\napprove\n1\n"+strings.Repeat("\n", 12)+"approve\ny\nserve\ndemo\napprove --as user:eve\n--approve -\nquit\n", nil, "--accessible", "--as", "user:mara")
	saysAll(t, out, "Press enter to continue, or enter stop: Stopped before the end.", "You have not read #1 yet: enter show 1", "#1  approved: ",
		"Toolcrib serve runs until it is stopped", "Toolcrib demo runs until it is stopped", "cannot be used for a decision in this dialogue", "Enter the ids instead of -, because this dialogue reads the standard input itself.")
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestAccessibleCommandAtThePause enters a command instead of continuing to read.
func TestAccessibleCommandAtThePause(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := proposed(t, "viewpoint_keeper.md")
	out, code := runDialogue(t, dir, "1\nlist --state draft\nquit\n", nil, "--accessible", "--as", "user:mara")
	saysAll(t, out, "Press enter to continue, or enter stop: Stopped before the end.", "No proposals")
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestAccessibleReadsNoDigests checks that text for screen readers contains no ids, digests, or Markdown.
func TestAccessibleReadsNoDigests(t *testing.T) {
	shortrun.OneGoroutine(t)
	out, _ := piped(t, proposed(t, "viewpoint_keeper.md"), "1", "review", "diff")
	saysAll(t, out, "Does it make sense? Yes", "Approve it with: toolcrib approve 1")
	if found := regexp.MustCompile(`[0-9a-f]{16}|[0-9a-f]{8}-|\*\*|review digest`).FindAllString(out, -1); found != nil {
		t.Errorf("%q in\n%s", found, out)
	}
}

// TestAccessibleTogether approves a change set and several proposals with one confirmation.
func TestAccessibleTogether(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := proposed(t, "viewpoint_keeper.md", "word_counts.json", "chapter_summary.md")
	out, code := piped(t, dir, "show 1", "show 2", "approve 1 2 3", "approve 1 2", "y", "approve 1 2", "2y", "regroup 3 --into rollout", "set:rollout", "approve", "y")
	saysAll(t, out, "You have not read #3 yet: enter show 3", "All go live, or none.\nType 2y and press enter to approve all; anything else cancels: y\nNothing changed.", "#1  approved: ", "#2  approved: ",
		"set:rollout> approve\n#3: new tool:user/chapter_summary, revision 2, becomes version 1.", "#3  approved: ")
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestAccessibleFollows checks that the dialogue reports changes by other processes, and rejects the approval of a
// proposal that has changed since it was read.
func TestAccessibleFollows(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := proposed(t, "word_counts.json")
	revised := false
	before := readerAt(func() {
		if !revised {
			revised = true
			if out, code := runDialogue(t, dir, "", nil, "review", "1", "--again"); code != 0 {
				t.Error(out)
			}
			if out, code := runDialogue(t, dir, "", nil, "regroup", "1", "--into", "rollout"); code != 0 {
				t.Error(out)
			}
		}
	})
	out, _ := runDialogueOn(t, false, dir, io.MultiReader(strings.NewReader("1\n"), before, strings.NewReader("approve\ny\n")), nil, "--accessible", "--as", "user:mara")
	saysAll(t, out, "#1 changed since you read it: it is now user_review, revision 2.", "digest")
	if strings.Contains(out, "is live") {
		t.Error(out)
	}
}

// readerAt is an empty reader that calls a function when it is read.
type readerAt func()

// Read implements io.Reader.
func (r readerAt) Read([]byte) (int, error) {
	r()
	return 0, io.EOF
}

// TestAccessibleEmptyWord checks that an empty reason remains a separate word. Otherwise, the following flag would
// become the reason (S40).
func TestAccessibleEmptyWord(t *testing.T) {
	dir := t.TempDir()
	demo, err := filepath.Abs("../testdata/demo/word_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	if out, code := runDialogue(t, dir, "", nil, "propose", demo, "--as", "agent:drafter"); code != 0 {
		t.Fatal(out)
	}
	for _, word := range []string{`""`, `''`} {
		out, _ := runDialogue(t, dir, "reject 1 --note "+word+" --json\ny\nquit\n", map[string]string{"TERM": "dumb"}, "--accessible", "--as", "user:mara")
		if !strings.Contains(out, `"code":"reason_missing"`) {
			t.Errorf("--note %s: %s", word, out)
		}
	}
	if out, _ := runDialogue(t, dir, "", nil, "list", "--state", "user-review"); !strings.Contains(out, "get_word_counts") {
		t.Errorf("it was decided: %s", out)
	}
}

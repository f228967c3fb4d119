package workbench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// version writes the proposal of a tool against a version, 0 for a new one.
func (c testDB) version(base int, goals, prompt string) string {
	c.t.Helper()
	text, err := os.ReadFile(c.file("scene_pacer"))
	if err != nil {
		c.t.Fatal(err)
	}
	json := strings.NewReplacer("Find what drags.", goals, "Read the scene and name what drags.", prompt).Replace(string(text))
	if base > 0 {
		json = strings.NewReplacer(`"type":"new"`, `"type":"modify"`, `"baseVersion":0`, fmt.Sprintf(`"baseVersion":%d`, base)).Replace(json)
	}
	name := filepath.Join(c.home, fmt.Sprintf("from-%d.json", base))
	if err := os.WriteFile(name, []byte(json), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return name
}

const pacer = "tool:user/scene_pacer"

// live makes versions of the tool live, one for each of its goals.
func (c testDB) live(goals ...string) {
	c.t.Helper()
	for base, g := range goals {
		c.run("propose", "--as", "agent:importer", c.version(base, g, "Read the scene."))
		c.run("show", pacer, "--as", "user:mara")
		c.run("approve", pacer, "--as", "user:mara")
	}
}

// counting counts the keys that a person presses, except for typed text.
type counting struct {
	person
	keys int
}

// does presses a key and waits until the screen shows all texts of sees.
func (p *counting) does(key string, sees ...string) {
	p.t.Helper()
	p.keys++
	p.press(key)
	p.sees(sees...)
}

// agrees answers yes to an offer, as soon as the dialog accepts it.
func (p *counting) agrees(offer string, sees ...string) {
	p.t.Helper()
	p.keys++
	p.answers(offer)
	p.sees(sees...)
}

// TestKeystrokesOnATerminal does common jobs in the real program on a real terminal, and
// asks the database for the outcome.
func TestKeystrokesOnATerminal(t *testing.T) {
	t.Parallel()
	for _, job := range []struct {
		name  string
		most  int
		fill  func(c testDB)
		width int
		do    func(p *counting)
		wants map[string]string // what commands print then
	}{
		{"roll back to live", 8, func(c testDB) { c.live("One thing.", "Two things.") }, 120, func(p *counting) {
			p.does("T", "▎Tools", "scene_pacer")
			p.does("/", "filter")
			p.types("scene_pacer")
			p.sees("1/1")
			p.does("Enter", "user/scene_pacer")
			p.does("U", "Restore a version", "to the content of v1")
			p.types("It was better.")
			p.does("C-s")
			p.agrees("y propose it", "restore "+pacer, "- Two things.")
			p.does("a", "✓ read 1/1")
			p.agrees("y approve", "Live: "+pacer+" version 3")
		}, map[string]string{"history " + pacer: "3\t", "tools " + pacer: "One thing."}},
		{"approve a clean change", 2, func(c testDB) { c.live("One thing."); c.run("propose", c.version(1, "Two things.", "Read the scene.")) }, 120, func(p *counting) {
			p.sees("+ Two things.")
			p.does("a", "✓ read 1/1")
			p.agrees("y approve", "Live: "+pacer+" version 2. U restores version 1")
		}, map[string]string{"tools " + pacer: "Two things."}},
		{"send back", 3, func(c testDB) { c.run("propose", c.version(0, "One thing.", "Read.")) }, 120, func(p *counting) {
			p.sees("scene_pacer")
			p.does("c", "━━ Send back")
			p.types("Say which scene.")
			p.does("C-s")
			p.agrees("y send", "Sent back: "+pacer)
		}, map[string]string{"list --state needs_changes": pacer}},
		{"waive and approve", 6, func(c testDB) { c.proposed("delete_tasks_unasked.json") }, 140, func(p *counting) {
			p.sees("delete_tasks")
			p.does("Enter", "R212", "approval.tier")
			p.does("W", "Waive a finding", "R212")
			p.types("Asked eight times a day, always yes.")
			p.does("C-s")
			p.agrees("y waive it", "Waived R212", "U ends the waiver", "□ waived R212")
			p.does("a", "━━ Approve ━━")
			p.agrees("y approve", "Live: tool:global/delete_tasks version 2")
		}, map[string]string{"history tool:global/delete_tasks": "2\t"}},
		{"reject three of six", 5, func(c testDB) { c.proposes("a", "b", "c", "d", "e", "f") }, 120, func(p *counting) {
			p.sees("#1       a ")
			p.does("S-Down", "* 2 marked")
			p.does("S-Down", "* 3 marked")
			p.does("x", "Reject 3 proposals")
			p.types("Not these.")
			p.does("C-s")
			p.agrees("y reject", "Rejected: ")
		}, map[string]string{"list --state rejected": "tool:user/d", "list --state user_review": "tool:user/c"}},
		{"undo a reject", 2, func(c testDB) { c.run("propose", c.version(0, "One thing.", "Read.")) }, 120, func(p *counting) {
			p.does("x", "━━ Reject ━━")
			p.types("No.")
			p.does("C-s")
			p.agrees("y reject", "Rejected: "+pacer, "U proposes it again")
			p.keys = 0
			p.does("U", "Propose again")
			p.agrees("y propose again", "as #2, with the content of #1")
		}, map[string]string{"list --state user_review": "#2", "list --state rejected": "#1"}},
		{"blame a line", 1, func(c testDB) {
			c.live("One thing.", "Two things.")
			c.run("propose", c.version(2, "Three things.", "Read the scene."))
		}, 140, func(p *counting) {
			p.press("Enter")
			p.sees("+ Three things.")
			p.does("B", "▎Blame", "◆ goals  as of v2", "v2 20", "Two things.")
			p.press("Enter")
			p.sees("#2 modify " + pacer)
		}, nil},
		{"five channels' prompts", 2, func(c testDB) { c.run("propose", c.version(0, "One thing.", "Read.")) }, 120, func(p *counting) {
			p.does("Enter", "Rationale")
			p.does("4", "▎Prompt", "tokens o200k")
		}, nil},
		{"rebase with two conflicts", 5, func(c testDB) {
			c.live("One thing.")
			c.run("propose", "--as", "agent:importer", c.version(1, "Here.", "Read it here."))
			c.run("propose", "--as", "user:mara", c.version(1, "There.", "Read it there."))
			c.run("show", "#3", "--as", "user:mara")
			c.run("approve", "#3", "--as", "user:mara")
		}, 120, func(p *counting) {
			p.press("Enter")
			p.sees("R rebase")
			p.does("R", "Rebase")
			p.agrees("y rebase", "Conflicts with version 2")
			p.does("h", "✓")
			p.does("l")
			p.agrees("y save the revision", "Revision 2 was submitted", "base       version 2")
		}, map[string]string{"show #2": "Read it there."}},
	} {
		t.Run(job.name, func(t *testing.T) {
			c := newTestDB(t)
			job.fill(c)
			p := &counting{person: c.open(job.width, 50)}
			p.sees("quit")
			job.do(p)
			if p.keys > job.most {
				t.Errorf("%d keys, at most %d", p.keys, job.most)
			}
			t.Logf("%d keys", p.keys)
			p.press("q")
			p.ends()
			for command, want := range job.wants {
				if out := c.run(append(strings.Fields(command), "--as", "user:mara")...); !strings.Contains(out, want) {
					t.Errorf("%s lacks %q:\n%s", command, want, out)
				}
			}
			c.run("verify")
		})
	}
}

// proposes proposes tools.
func (c testDB) proposes(ids ...string) {
	c.t.Helper()
	for _, id := range ids {
		c.run("propose", c.file(id))
	}
}

// TestNoteTypedAtOnce types a note whose first letters are keys of the sheet: after n, which
// alone begins a note, all of it belongs to the note.
func TestNoteTypedAtOnce(t *testing.T) {
	t.Parallel()
	c := newTestDB(t)
	c.proposes("a", "b")
	p := c.open(120, 60)
	for tool, note := range map[string]string{"b": "docs say so too. Yes", "a": "done as asked. Yes"} {
		p.press("/")
		p.types("tool:" + tool)
		p.press("Enter")
		p.sees("│ Tool "+tool, "+ Find what drags.")
		p.press("a")
		p.sees("✓ read 1/1", "y approve")
		p.press("n")
		p.types(note)
		p.sees("▎ " + note)
		p.press("C-s")
		p.answers("y approve")
		p.sees("Live: tool:user/" + tool)
	}
	p.press("q")
	p.ends()
	for subject, note := range map[string]string{"tool:user/b": "docs say so too. Yes", "tool:user/a": "done as asked. Yes"} {
		if out := c.run("history", subject); !strings.Contains(out, note) {
			t.Errorf("the note is not in the history of %s:\n%s", subject, out)
		}
	}
}

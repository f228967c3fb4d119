package cli_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// importing imports the fixture server and returns the document.
func (c testDB) importing(flags ...string) (doc struct {
	ChangeSet string `json:"change_set"`
	Proposals []struct {
		Subject, State, Type string
		Revision             int
		ChangeSet            string `json:"change_set"`
	}
},
) {
	c.t.Helper()
	server := fixtureServer + " " + filepath.Join(c.dir, "tools.json")
	out := c.run(append([]string{"import", "--json", "--mcp", server, "--server", "library"}, flags...)...)
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	return doc
}

// open lists the open proposals as "type subject, revision in set".
func (c testDB) open() string {
	c.t.Helper()
	var doc struct {
		Proposals []struct {
			Subject, Type, State string
			ChangeSet            string `json:"change_set"`
		}
	}
	out := c.run("list", "--json")
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	var all []string
	for i := len(doc.Proposals) - 1; i >= 0; i-- {
		p := doc.Proposals[i]
		if p.State != "withdrawn" && p.State != "approved" {
			all = append(all, p.Type+" "+strings.TrimPrefix(p.Subject, "tool:user/")+" in "+p.ChangeSet)
		}
	}
	return strings.Join(all, ", ")
}

// TestImportAgain repeatedly imports a server that changes. Each tool must have one proposal, with a revision for each
// definition, and reverted changes must be withdrawn.
func TestImportAgain(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.write("tools.json", guardedTools)
	if doc := c.importing(); doc.ChangeSet != "library" || len(doc.Proposals) != 2 {
		t.Fatalf("the first import is %+v", doc)
	}
	c.write("tools.json", strings.ReplaceAll(guardedTools, "Find a book.", "Find any book."))
	if doc := c.importing(); len(doc.Proposals) != 1 || doc.Proposals[0].Revision != 2 || doc.Proposals[0].Subject != "tool:user/library_find_book" {
		t.Fatalf("the second import is %+v", doc)
	}
	const both = "new library_find_book in library, new library_lend_book in library"
	if got := c.open(); got != both {
		t.Fatalf("open are %s", got)
	}

	// An unapproved tool that the server no longer lists is withdrawn.
	c.write("tools.json", `[{"name": "lend_book", "description": "Lend a book.", "inputSchema": {"type": "object"}}]`)
	if doc := c.importing(); len(doc.Proposals) != 1 || doc.Proposals[0].State != "withdrawn" {
		t.Fatalf("the third import is %+v", doc)
	}
	if got := c.open(); got != "new library_lend_book in library" {
		t.Fatalf("open are %s", got)
	}
	c.write("tools.json", guardedTools)
	c.importing()
	c.run("--approve", "set:library", "--unseen")

	// A change of an approved tool, another change, and a reversal.
	c.write("tools.json", strings.ReplaceAll(guardedTools, "Find a book.", "Find every book."))
	c.importing()
	c.write("tools.json", strings.ReplaceAll(guardedTools, "Find a book.", "Find no book."))
	if doc := c.importing(); len(doc.Proposals) != 1 || doc.Proposals[0].Revision != 2 {
		t.Fatalf("the second change is %+v", doc)
	}
	if got := c.open(); got != "modify library_find_book in library" {
		t.Fatalf("open are %s", got)
	}
	c.write("tools.json", guardedTools)
	c.importing()
	if got := c.open(); got != "" {
		t.Fatalf("open are %s", got)
	}

	// A change, the removal of the tool, and another change: there is never more than one open proposal.
	lend := `[{"name": "lend_book", "description": "Lend a book.", "inputSchema": {"type": "object"}}]`
	for _, step := range []struct{ tools, open string }{
		{strings.ReplaceAll(guardedTools, "Find a book.", "Find a good book."), "modify library_find_book in library"},
		{lend, "deactivate library_find_book in library"},
		{strings.ReplaceAll(guardedTools, "Find a book.", "Find a bad book."), "modify library_find_book in library"},
		{guardedTools, ""},
	} {
		c.write("tools.json", step.tools)
		c.importing()
		if got := c.open(); got != step.open {
			t.Fatalf("open are %s, want %s", got, step.open)
		}
	}

	// An import does not revise a proposal about a tool by another author.
	c.write("tools.json", strings.ReplaceAll(guardedTools, "Find a book.", "Find one book."))
	c.importing("--change-set", "")
	c.run("show", "tool:user/library_find_book", "--source", "mine.json")
	text, err := os.ReadFile(filepath.Join(c.dir, "mine.json"))
	var mine map[string]any
	if err := errors.Join(err, json.Unmarshal(text, &mine)); err != nil {
		t.Fatal(err)
	}
	mine["rationale"] = "I want it so, whatever the server says of it."
	if text, err = json.Marshal(mine); err != nil {
		t.Fatal(err)
	}
	c.write("mine.json", string(text))
	c.run("revise", "tool:user/library_find_book", "mine.json")
	c.write("tools.json", strings.ReplaceAll(guardedTools, "Find a book.", "Find two books."))
	c.importing()
	if got := c.open(); got != "modify library_find_book in , modify library_find_book in library" {
		t.Fatalf("open are %s", got)
	}
	c.run("verify")
}

// TestGuardTakesOverImports checks that a guard revises and withdraws the user's imports.
func TestGuardTakesOverImports(t *testing.T) {
	c := newTestDB(t)
	c.write("tools.json", guardedTools)
	c.importing()
	c.write("tools.json", `[{"name": "find_book", "description": "Find any book.", "inputSchema": {"type": "object"}}]`)
	c.guarded("library").tools()
	c.waits("Find any book.", "show", "tool:user/library_find_book")
	c.waits("The server no longer lists the tool.", "log", "--json", "--limit", "20")
	if got := c.open(); got != "new library_find_book in library" {
		t.Fatalf("open are %s", got)
	}
	c.run("verify")
}

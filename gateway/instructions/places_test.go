package instructions

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/places"
)

// TestEveryPlace creates a file in every place of every scope and checks that it is
// found or reported as unchecked.
func TestEveryPlace(t *testing.T) {
	walked := 0
	for _, scope := range []places.Scope{places.Project, places.User, places.Above} {
		for _, p := range scope.Places() {
			walked++
			at := strings.NewReplacer("/**/*.", "/deep/er/x.", "**/*", "deep/x", "/**", "/deep/pdf", "*", "x").Replace(p.Pattern)
			name, text := at, "Be kind.\n"
			if p.Kind == registry.KindSkill {
				name, text = path.Join(at, "SKILL.md"), skillText
			}
			if p.Settings() {
				text = `{"env": {}}`
			}
			dir := lay(t, map[string]string{name: text})
			tree, err := Search(dir, scope)
			must(t, err)
			found := slices.ContainsFunc(tree.Found, func(f Found) bool { return f.Path == at && f.Kind == p.Kind && f.Err == nil })
			if !p.Checked() {
				found = slices.Contains(tree.Unchecked, at)
			}
			if !found || len(tree.Found)+len(tree.Unchecked) != 1 {
				t.Errorf("%s of %s in scope %d: found %+v", at, p.Client, scope, tree)
			}
			if scope != places.Project {
				continue
			}
			dir = lay(t, map[string]string{"node_modules/a/" + name: text}) // no folder is skipped
			if tree, err = Search(dir, scope); err != nil || len(tree.Found)+len(tree.Unchecked) != 1 {
				t.Errorf("%s of %s in a folder below: found %+v, %v", at, p.Client, tree, err)
			}
		}
	}
	if walked < 60 {
		t.Errorf("walked %d places", walked)
	}
}

// TestImports compares imports with those that clients follow, including those to
// other folders.
func TestImports(t *testing.T) {
	files := map[string]string{
		"CLAUDE.md":     "See @docs/style.md, @./docs/my\\ notes.md and mail me@docs/no.md.\n@docs/none.md @docs @~/at-home.md @../beside.md\n",
		"docs/style.md": "@more/1.md (@/etc/hosts)\n", "docs/my notes.md": "x\n", "docs/no.md": "x\n",
		"docs/more/1.md": "@2.md\n@../../CLAUDE.md", "docs/more/2.md": "@3.md", "docs/more/3.md": "@4.md", "docs/more/4.md": "@5.md", "docs/more/5.md": "x\n",
		".claude/rules/a.md": "@../../rule.txt", "rule.txt": "x\n", "sub/AGENTS.md": "@x.md", "sub/x.md": "x\n",
		".cursor/rules/a.mdc": "@../../no.md", "no.md": "x\n", "README.md": "@no.md",
	}
	dir := lay(t, files)
	outside := lay(t, map[string]string{"x.md": "x\n"})
	must(t, os.WriteFile(filepath.Join(dir, "GEMINI.md"), []byte("@link.md"), 0o600))
	must(t, os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(dir, "link.md")))
	tree, err := Search(dir, places.Project)
	must(t, err)
	var got, refused []string
	for _, f := range tree.Found {
		got = append(got, f.Path)
		if f.Err != nil {
			refused = append(refused, f.Path)
		}
	}
	want := []string{
		".claude/rules/a.md", ".cursor/rules/a.mdc", "CLAUDE.md", "GEMINI.md", "docs/more/1.md", "docs/more/2.md", "docs/more/3.md", "docs/more/4.md",
		"docs/my notes.md", "docs/style.md", "link.md", "rule.txt", "sub/AGENTS.md", "sub/x.md",
	}
	if !slices.Equal(got, want) || !slices.Equal(refused, []string{"link.md"}) {
		t.Errorf("got %q, refused %q\nwant %q", got, refused, want)
	}
	for _, p := range []string{"~/at-home.md", filepath.Join(filepath.Dir(dir), "beside.md")} {
		if !slices.Contains(tree.Outside, Import{"CLAUDE.md", p}) {
			t.Errorf("%s is not among %+v", p, tree.Outside)
		}
	}
	if tree, err = Search(dir, places.User, "README.md"); err != nil || !slices.ContainsFunc(tree.Found, func(f Found) bool { return f.Path == "README.md" }) {
		t.Errorf("a file that is imported from elsewhere is not among %+v, %v", tree.Found, err)
	}
}

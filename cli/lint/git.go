// This file implements the review command with the --git flag, which reviews the changes of a branch. It treats the
// texts in the base commit as approved.

package lint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/report"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/review/rules/reached"
)

// DocBranch is the review of the changes of a branch.
type DocBranch struct {
	output.Head
	OK      bool         `json:"ok"`   // whether no new finding warns or blocks
	Base    string       `json:"base"` // commit that the branch is compared with
	Commit  string       `json:"head"`
	Changes []docChanged `json:"changes"`
	// Findings lists all findings in the changed texts, including findings about text that the base commit already
	// contains.
	Findings []findings.Finding `json:"findings"`
}

// docChanged is a text for agents that a branch changes.
type docChanged struct {
	File    string `json:"file"`
	Subject string `json:"subject"`
	Change  string `json:"change"` // added, changed or removed
	// Files lists the files of a changed skill that are added, changed, or removed.
	Files  []docChangedFile `json:"files,omitempty"`
	Reach  fact.Difference  `json:"reach"`
	Tokens []docTokens      `json:"tokens"`
}

type docChangedFile struct {
	Path   string `json:"path"` // path relative to the folder of the skill
	Change string `json:"change"`
}

// docTokens contains the numbers of tokens (o200k_base) of a text before and after a change.
type docTokens struct {
	When   string `json:"when"`
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// Branch reviews the texts for agents that a branch changes. span is BASE..HEAD or BASE...HEAD. If paths is not empty,
// Branch reviews only the texts in these paths.
func Branch(ctx context.Context, a *command.App, span string, paths []string, format string) error {
	if err := report.CheckFormat(a, &format, "markdown"); err != nil {
		return err
	}
	c, err := a.Settings()
	if err != nil {
		return err
	}
	set, err := c.RuleSet()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "toolcrib-review-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // a folder for temporary files
	g := repository{dir: a.Env.Dir}
	before, after, changed, err := g.sides(ctx, span, paths)
	if err != nil {
		return err
	}
	doc := DocBranch{Head: output.NewHead("branch.review"), OK: true, Base: before.commit, Commit: after.commit, Changes: []docChanged{}, Findings: []findings.Finding{}}
	l := newLinter(set)
	var found []findings.Finding
	for _, file := range texts(changed, before, after) {
		was, _, err := before.units(ctx, g, filepath.Join(scratch, "base"), file)
		if err != nil {
			return err
		}
		is, problems, err := after.units(ctx, g, filepath.Join(scratch, "head"), file)
		if err != nil {
			return err
		}
		found = append(found, problems...)
		pairs := [][2]*unit{} // units of both sides, by subject
		for _, u := range is {
			i := slices.IndexFunc(was, func(w *unit) bool { return w.change.Draft.Subject == u.change.Draft.Subject })
			if i < 0 {
				pairs = append(pairs, [2]*unit{nil, u})
				continue
			}
			pairs, was = append(pairs, [2]*unit{was[i], u}), slices.Delete(slices.Clone(was), i, i+1)
		}
		for _, w := range was {
			pairs = append(pairs, [2]*unit{w, nil})
		}
		for _, pair := range pairs {
			one, list, err := l.compare(ctx, file, before.commit, pair[0], pair[1])
			if err != nil {
				return err
			}
			if one.Change != "" {
				doc.Changes, found = append(doc.Changes, one), append(found, list...)
			}
		}
	}
	findings.Sort(found)
	doc.OK = !slices.ContainsFunc(found, func(f findings.Finding) bool {
		return !f.Carried && rules.Severity(f.Severity).Rank() >= rules.Warn.Rank()
	})
	doc.Findings = append(doc.Findings, found...)
	run := findings.Run{Command: "review", Page: "docs/rules.md", Rules: sarifRules(), Found: found}
	return report.Print(a, format, doc.OK, doc, run, func() string {
		if format == "markdown" {
			return doc.markdown()
		}
		return doc.text()
	})
}

// repository runs git in a working directory. It never modifies the repository, prompts the user, or runs programs that
// the repository specifies.
type repository struct{ dir string }

func (g repository) git(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-C", g.dir}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1")
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("git %s: %w", args[0], errors.New(cmp.Or(first, err.Error())))
	}
	return out, nil
}

// side is a commit to compare, with the mode and hash of each file.
type side struct {
	commit string
	files  map[string][2]string
}

// sides returns the trees of two commits, and the files that differ between them. span specifies the commits. If span
// is BASE..HEAD, baseSide is the tree of BASE. If span is BASE...HEAD, baseSide is the tree of the merge base of both
// commits. If paths is not empty, only files in these paths are compared.
func (g repository) sides(ctx context.Context, span string, paths []string) (baseSide, headSide side, changed []string, err error) {
	base, head, ok := strings.Cut(span, "...")
	merged := ok
	if !ok {
		if base, head, ok = strings.Cut(span, ".."); !ok {
			return baseSide, headSide, nil, process.Usagef("--git is %q: use BASE...HEAD, such as origin/main...HEAD", span)
		}
	}
	for _, one := range []struct {
		to   *side
		name string
	}{{&baseSide, base}, {&headSide, cmp.Or(head, "HEAD")}} {
		hash, err := g.git(ctx, "", "rev-parse", "--verify", "--end-of-options", one.name+"^{commit}")
		if err != nil {
			return baseSide, headSide, nil, fmt.Errorf("the git repository in this folder has no commit %s: %w; fetch the commit first (actions/checkout needs fetch-depth: 0)", one.name, err)
		}
		one.to.commit = strings.TrimSpace(string(hash))
	}
	if merged {
		hash, err := g.git(ctx, "", "merge-base", baseSide.commit, headSide.commit)
		if err != nil {
			return baseSide, headSide, nil, fmt.Errorf("%s has no common commit: %w; fetch the whole history (actions/checkout needs fetch-depth: 0)", span, err)
		}
		baseSide.commit = strings.TrimSpace(string(hash))
	}
	for _, s := range []*side{&baseSide, &headSide} {
		list, err := g.git(ctx, "", "ls-tree", "-r", "-z", "--full-tree", s.commit)
		if err != nil {
			return baseSide, headSide, nil, err
		}
		s.files = map[string][2]string{}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
			meta, name, _ := strings.Cut(line, "\t")
			if f := strings.Fields(meta); len(f) == 3 && f[1] == "blob" {
				s.files[name] = [2]string{f[0], f[2]}
			}
		}
	}
	list, err := g.git(ctx, "", append([]string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", baseSide.commit, headSide.commit, "--"}, paths...)...)
	return baseSide, headSide, slices.DeleteFunc(strings.Split(string(list), "\x00"), func(name string) bool { return name == "" }), err
}

// texts returns the changed files that may contain texts for agents. If a file of a skill has changed, the result
// contains the SKILL.md of this skill instead of the file.
func texts(changed []string, sides ...side) []string {
	has := func(name string) bool {
		return slices.ContainsFunc(sides, func(s side) bool { return s.files[name] != [2]string{} })
	}
	var list []string
	for _, name := range changed {
		of := ""
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if skill := path.Join(dir, registry.SkillFile); has(skill) {
				of = skill
				break
			}
		}
		ext := path.Ext(name)
		switch {
		case of != "":
		case instructs(name, false), ext == ".json", ext == ".ndjson", ext == ".md":
			of = name
		}
		if of != "" && !slices.Contains(list, of) {
			list = append(list, of)
		}
	}
	return list
}

// units returns the units of the given file in the commit of s. If the file is a SKILL.md, units writes the skill to
// scratch, a temporary folder, and returns a single unit for the whole skill. The result is empty for JSON and Markdown
// files that contain neither tools nor instructions.
func (s side) units(ctx context.Context, g repository, scratch, file string) ([]*unit, []findings.Finding, error) {
	names := []string{file}
	if isSkill(file) {
		names = nil
		for name := range s.files {
			if strings.HasPrefix(name, path.Dir(file)+"/") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	if s.files[file] == [2]string{} {
		return nil, nil, nil
	}
	var hashes strings.Builder
	for _, name := range names {
		hashes.WriteString(s.files[name][1] + "\n")
	}
	out, err := g.git(ctx, hashes.String(), "cat-file", "--batch")
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() //nolint:errcheck // reading the files reveals whether all data was written
	var data []byte
	for _, name := range names {
		var size int
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		if _, err := fmt.Sscanf(string(line), s.files[name][1]+" blob %d", &size); err != nil || len(rest) < size {
			return nil, nil, fmt.Errorf("git cat-file: cannot read %s", name)
		}
		data, out = rest[:size], rest[min(size+1, len(rest)):]
		if !isSkill(file) {
			break
		}
		mode := os.FileMode(0o600)
		if s.files[name][0] == "100755" {
			mode = 0o700
		}
		if err = root.MkdirAll(path.Dir(name), 0o700); err == nil && s.files[name][0] == "120000" {
			err = root.Symlink(string(data), name)
		} else if err == nil {
			err = root.WriteFile(name, data, mode)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if !isSkill(file) {
		units, problems, err := readUnits(file, "", data, s.files[file][0] == "100755")
		if !instructs(file, false) && (len(problems) > 0 || !aboutTools.Match(data) || path.Ext(file) == ".md" && slices.ContainsFunc(units, func(u *unit) bool { return u.doc == nil })) {
			return nil, nil, err
		}
		return units, problems, err
	}
	u, err := skillUnit(filepath.Join(scratch, filepath.FromSlash(file)), file)
	if err != nil {
		return nil, []findings.Finding{unreadable(file, noPlace(err.Error()))}, nil
	}
	return []*unit{u}, nil, nil
}

// aboutTools matches keys that distinguish proposals and lists of tools from other JSON.
var aboutTools = regexp.MustCompile(`"?\b(?:inputSchema|input_schema|parameters|prompts|subject)"?\s*:`)

// compare reviews the change of a unit in the given file. oldUnit and newUnit are the unit in the base commit and in
// the branch, or nil if the unit does not exist there. If the unit did not change, doc.Change is "".
func (l *linter) compare(ctx context.Context, file, base string, oldUnit, newUnit *unit) (doc docChanged, found []findings.Finding, err error) {
	u := newUnit
	if newUnit == nil {
		draft := proposals.Draft{Type: proposals.Deactivate, Subject: oldUnit.change.Draft.Subject}
		u = &unit{change: rules.Change{Isolated: true, Draft: draft}, families: oldUnit.families, subject: oldUnit.subject, tool: oldUnit.tool, lintPlace: oldUnit.lintPlace}
	}
	var before registry.Definition
	l.place(u)
	if oldUnit != nil {
		before = oldUnit.change.Draft.Definition
		u.change.Before = &registry.Live{Subject: oldUnit.change.Draft.Subject, Definition: before}
	}
	after := u.change.Draft.Definition
	doc = docChanged{File: file, Subject: u.subject, Change: "changed", Tokens: []docTokens{}}
	switch {
	case oldUnit == nil:
		doc.Change = "added"
	case newUnit == nil:
		doc.Change = "removed"
	case before.Hash() == after.Hash():
		return docChanged{}, nil, nil
	case after.Skill != nil:
		words := map[instructions.Change]string{instructions.New: "added", instructions.Changed: "changed", instructions.Missing: "removed"}
		doc.Files = lists.Map(instructions.Files(*before.Skill, *after.Skill), func(c instructions.FileChange) docChangedFile {
			return docChangedFile{c.Path, words[c.Change]}
		})
	}
	doc.Reach = document.NewReach(reached.Difference(&u.change))
	if err := l.count(&doc, before, after); err != nil || newUnit == nil {
		return doc, nil, err
	}
	list, err := l.set.CheckFamilies(ctx, &u.change, u.families)
	for _, f := range list {
		at := u.at(file, f)
		if at.Carried = f.Carried; f.Carried {
			at.CarriedFrom = base
		}
		found = append(found, at)
	}
	return doc, found, err
}

// count adds the numbers of tokens before and after a change to doc. For a skill or an instruction file, it adds an
// entry for each occasion on which an agent reads the text. For other definitions, it adds a single entry.
func (l *linter) count(doc *docChanged, before, after registry.Definition) error {
	if before.Folder() != nil || after.Folder() != nil {
		costs, err := instructions.Costs(l.tokens, instructions.CompareLoads(before, after))
		for _, c := range costs {
			if c.Now.O200k+c.After.O200k > 0 {
				doc.Tokens = append(doc.Tokens, docTokens{string(c.Occasion), c.Now.O200k, c.After.O200k})
			}
		}
		return err
	}
	text := func(d registry.Definition) string {
		if d.Tool == nil {
			return string(d.Canonical())
		}
		parts := rules.ContentOf(d.Tool)
		return strings.Join(parts[:], "\n")
	}
	counts, err := l.tokens.CountAll([]string{text(before), text(after)})
	if err == nil {
		doc.Tokens = append(doc.Tokens, docTokens{"in the prompt", counts[0].O200k, counts[1].O200k})
	}
	return err
}

// title returns the title of a change.
func (c docChanged) title() string {
	if len(c.Files) > 0 {
		return path.Dir(c.File) + ": " + lists.First(lists.Map(c.Files, func(f docChangedFile) string { return f.Path + " " + f.Change }), 10)
	}
	if c.Subject != c.File {
		return fmt.Sprintf("%s: %s %s", c.File, c.Subject, c.Change)
	}
	return c.File + " " + c.Change
}

// lines returns a line for each change of the reach, and a line with the numbers of tokens.
func (c docChanged) lines() []string {
	lines := fact.Lines(c.Reach)
	if c.Change == "added" {
		lines = fact.Summary(c.Reach.Added)
	}
	tokens := lists.Map(c.Tokens, func(t docTokens) string { return t.When + " " + document.FromTo(t.Before, t.After) })
	if len(tokens) > 0 {
		lines = append(lines, "tokens: "+strings.Join(tokens, ", "))
	}
	return lines
}

// counted returns the number of new findings and the number of findings about text that the base commit already
// contains.
func (d DocBranch) counted() (fresh, carried int) {
	carried = len(lists.Filter(d.Findings, func(f findings.Finding) bool { return f.Carried }))
	return len(d.Findings) - carried, carried
}

func (d DocBranch) text() string {
	var b strings.Builder
	for _, c := range d.Changes {
		b.WriteString(visible.Line(c.title()) + "\n")
		for _, line := range c.lines() {
			b.WriteString("  " + visible.Line(line) + "\n")
		}
	}
	b.WriteString(findings.Text(slices.DeleteFunc(slices.Clone(d.Findings), func(f findings.Finding) bool { return f.Carried })))
	if _, carried := d.counted(); carried > 0 {
		fmt.Fprintf(&b, "Already in %.12s: %s.\n", d.Base, output.Counted(carried, "finding"))
	}
	if len(d.Changes) == 0 {
		b.WriteString("No text for agents changed.\n")
	}
	return b.String()
}

// Marker is the first line of a comment on a pull request. A later run finds the comment by this line.
const Marker = "<!-- toolcrib review -->"

// markdown returns the comment on a pull request. It puts text from the repository into code spans, and replaces
// backquotes in this text, because they would close the span.
func (d DocBranch) markdown() string {
	code := func(s string) string { return "`` " + strings.ReplaceAll(visible.Line(s), "`", "'") + " ``" }
	fresh, carried := d.counted()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### toolcrib: %s for agents changed, %s\n", Marker, output.Counted(len(d.Changes), "text"), output.Counted(fresh, "new finding"))
	for _, c := range d.Changes {
		fmt.Fprintf(&b, "\n**%s**\n\n", code(c.title()))
		for _, line := range c.lines() {
			b.WriteString("- " + code(line) + "\n")
		}
	}
	if fresh > 0 {
		b.WriteString("\n| severity | rule | place | finding |\n|---|---|---|---|\n")
	}
	for _, f := range d.Findings {
		if !f.Carried {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Severity, f.Rule, code(fmt.Sprintf("%s:%d", cmp.Or(f.File, f.Subject), f.Line)), strings.ReplaceAll(code(f.Message), "|", "¦"))
		}
	}
	if carried > 0 {
		fmt.Fprintf(&b, "\nAlready in the base commit: %s.\n", output.Counted(carried, "finding"))
	}
	fmt.Fprintf(&b, "\n%.12s...%.12s\n", d.Base, d.Commit)
	return b.String()
}

package proposals

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Further limits of the template.
const (
	MaxTestCaseName = 120 // characters
	MaxChecks       = 32  // per test case
)

// Problems returns everything that keeps d from being submitted, in the order of
// the template, each with its path in the proposal and the expected value. It is
// nil when nothing does.
func (d Draft) Problems() Problems {
	var c template
	c.subject(d)
	c.versions(d)
	c.definition(d)
	c.rationale(d)
	if !d.Subject.Kind.InFiles() || len(d.Examples)+len(d.TestCases) > 0 { // nothing calls a file
		c.examples(d)
		c.testCases(d)
	}
	c.changeSet(d)
	c.texts(d)
	return c.problems
}

// template collects what a draft lacks.
type template struct{ problems Problems }

func (c *template) add(rule, path, format string, args ...any) {
	c.append(Problem{Rule: rule, Problem: jsondoc.Problem{Path: path, Message: fmt.Sprintf(format, args...)}})
}

// maxProblems limits how many problems of one draft are listed. One more reports
// that there are others.
const maxProblems = 300

func (c *template) append(p Problem) {
	switch n := len(c.problems); {
	case n < maxProblems:
		c.problems = append(c.problems, p)
	case n == maxProblems:
		c.problems = append(c.problems, Problem{Rule: RuleSubject, Problem: jsondoc.Problem{
			Path: jsondoc.Root, Message: fmt.Sprintf("there are more problems than the first %d listed here", maxProblems),
		}})
	}
}

func (c *template) subject(d Draft) {
	switch {
	case d.Type == "":
		c.add(RuleSubject, "type", "missing; expected one of %s", list(Types()))
	case !slices.Contains(Types(), d.Type):
		c.add(RuleSubject, "type", "expected one of %s; got %s", list(Types()), jsondoc.Quote(string(d.Type)))
	}
	if d.Subject == (registry.Subject{}) {
		c.add(RuleSubject, "subject", "missing; expected the tool or agent that is to change, such as tool:user/scene_pacer")
	} else if _, err := registry.ParseSubject(d.Subject.String()); err != nil {
		c.add(RuleSubject, "subject", "expected a tool or an agent in a layer, such as tool:user/scene_pacer; got %s", jsondoc.Quote(d.Subject.String()))
	}
}

func (c *template) versions(d Draft) {
	known := slices.Contains(Types(), d.Type)
	switch {
	case d.BaseVersion == nil && d.Type == New: // only 0 is possible, which Base returns
	case d.BaseVersion == nil:
		c.add(RuleBaseVersion, "baseVersion", "missing; expected the live version the draft was made against")
	case d.Type == New && *d.BaseVersion != 0:
		c.add(RuleBaseVersion, "baseVersion", "is %d; a new subject has no version yet, so 0 is expected", *d.BaseVersion)
	case d.Type != New && known && *d.BaseVersion < 1:
		c.add(RuleBaseVersion, "baseVersion", "is %d; type %s is about a subject that exists, so its live version is expected, 1 or more", *d.BaseVersion, d.Type)
	case *d.BaseVersion < 0:
		c.add(RuleBaseVersion, "baseVersion", "is %d; versions count from 1, and 0 is for a new subject", *d.BaseVersion)
	}
	switch {
	case d.Type != Restore && d.RestoreVersion != 0 && known:
		c.add(RuleRestoreVersion, "restoreVersion", "belongs to type restore only; leave it out")
	case d.Type != Restore:
	case d.RestoreVersion == 0:
		c.add(RuleRestoreVersion, "restoreVersion", "missing; expected the earlier version to go back to")
	case d.RestoreVersion < 0:
		c.add(RuleRestoreVersion, "restoreVersion", "is %d; versions count from 1", d.RestoreVersion)
	case d.RestoreVersion >= d.Base() && d.Base() > 0:
		c.add(RuleRestoreVersion, "restoreVersion", "is %d; expected a version before %d, which is the one that is live", d.RestoreVersion, d.Base())
	}
}

func (c *template) definition(d Draft) {
	if withoutEmpty(d.Definition).IsZero() {
		if d.Type == New || d.Type == Modify {
			c.add(RuleDefinition, "definition", "missing; a proposal of type %s carries the whole definition as it should become", d.Type)
		}
		return
	}
	if kind := d.Definition.Kind(); d.Subject.Kind != "" && kind != d.Subject.Kind {
		c.add(RuleDefinition, "definition", "is the definition of %s, but the subject is %s", article(kind), article(d.Subject.Kind))
		return
	}
	if d.Type != Deactivate { // what an earlier toolcrib approved can always be taken out of use
		for _, p := range d.Definition.Problems("definition") {
			c.append(Problem{Rule: RuleDefinition, Problem: p})
		}
	}
	if id := d.Definition.ID(); registry.ValidID(id) && d.Subject.ID != "" && id != d.Subject.ID {
		c.add(RuleDefinition, "definition.id", "is %s, but the subject is %s; an id never changes, so both have to be the same", id, jsondoc.Quote(d.Subject.ID))
	}
}

func (c *template) rationale(d Draft) {
	if blank(d.Rationale) {
		c.add(RuleRationale, "rationale", "missing; expected why the change is wanted, for the person who decides")
		return
	}
	c.length(RuleRationale, "rationale", d.Rationale, MaxRationale)
}

func (c *template) examples(d Draft) {
	if n := len(d.Examples); n < MinExamples || n > MaxExamples {
		c.add(RuleExamples, "examples", "has %d; expected %d or %d concrete invocations", n, MinExamples, MaxExamples)
	}
	first := map[string]int{}
	for i, text := range d.Examples {
		path := jsondoc.Index("examples", i)
		if blank(text) {
			c.add(RuleExamples, path, "blank; expected a concrete invocation")
			continue
		}
		c.length(RuleExamples, path, text, MaxExample)
		if j, ok := first[alike(text)]; ok {
			c.add(RuleExamples, path, "repeats %s; expected another case", jsondoc.Index("examples", j))
			continue
		}
		first[alike(text)] = i
	}
}

// alike returns what two texts share that differ in letter case and white
// space only.
func alike(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// validChangeSet matches the name of a change set.
var validChangeSet = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$`)

func (c *template) changeSet(d Draft) {
	if d.ChangeSet != "" && !validChangeSet.MatchString(d.ChangeSet) {
		c.add(RuleChangeSet, "changeSet", `expected a name of at most 64 letters, digits, spaces, ".", "_" and "-" that begins with a letter or a digit; got %s`, jsondoc.Quote(d.ChangeSet))
	}
}

func (c *template) length(rule, path, text string, limit int) {
	if message := checkLength(text, limit); message != "" {
		c.add(rule, path, "%s", message)
	}
}

// blank reports whether nobody would see anything of s: it is empty, or made
// of white space, controls and characters that are drawn as nothing.
func blank(s string) bool {
	for _, r := range s {
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != brailleBlank && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			return false
		}
	}
	return true
}

// brailleBlank is a pattern without dots, which Unicode counts as a symbol.
const brailleBlank = '\u2800'

// texts looks for leftovers in any text of d: the markers of a merge conflict, the
// placeholders of the skeleton, and a NUL, which the definition's own problems
// cover.
func (c *template) texts(d Draft) {
	doc, err := d.Node()
	if err != nil {
		c.add(RuleSubject, jsondoc.Root, "cannot be written as JSON: %v", err)
		return
	}
	doc.Walk(func(n *jsondoc.Node, path func() string) bool {
		if n.Kind == jsondoc.String {
			c.text(n.Text, path)
		}
		return len(c.problems) <= maxProblems
	})
}

func (c *template) text(text string, path func() string) {
	if line := conflict(text); line > 0 {
		c.add(RuleConflictMarkers, path(), "has an unresolved merge conflict at line %d of the text; keep one side and remove the markers", line)
	}
	if strings.IndexByte(text, 0) >= 0 && ruleOf(path()) != RuleDefinition {
		c.add(ruleOf(path()), path(), "has a NUL character; remove it")
	}
	if wanted, ok := placeholderIn(text); ok {
		c.add(ruleOf(path()), path(), "still has the FILL IN text; fill in %s", wanted)
	}
}

// The lines of a conflict as merge tools write them, in their order. The lines
// of the common ancestor may stand between the first two.
const (
	markOurs   = "<<<<<<<"
	markMiddle = "======="
	markTheirs = ">>>>>>>"
)

// conflict returns the number of the line that the first merge conflict in
// text begins in, counted from 1; 0 when there is none. The order of the
// markers tells a conflict from an underlined heading or a quotation.
func conflict(text string) int {
	if !strings.Contains(text, markOurs) {
		return 0
	}
	begin, middle, number := 0, false, 0
	for line := range strings.Lines(text) {
		number++
		switch {
		case marks(line, markOurs):
			begin, middle = number, false
		case begin > 0 && marks(line, markMiddle):
			middle = true
		case middle && marks(line, markTheirs):
			return begin
		}
	}
	return 0
}

// marks reports whether line begins with marker, and not with more of it.
func marks(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && !strings.HasPrefix(rest, marker[:1])
}

// MaxDraft is the longest draft that is kept, in bytes of canonical JSON: several
// of the longest texts that a definition can have, or the largest skill.
const MaxDraft = 24 << 20

// Excess returns the fields that are too long even for a draft, each with its path:
// a draft may lack fields, but it is stored permanently, and lists show its name and
// its change set to everybody. It is nil for a draft that can be stored.
func (d Draft) Excess() Problems {
	var c template
	name := d.Definition.Name()
	if d.Definition.Folder() != nil {
		name = "" // a path, which has limits of its own
	}
	if message := checkLength(name, registry.MaxName); message != "" {
		c.add(RuleDefinition, "definition.name", "%s", message)
	}
	if strings.IndexByte(name, 0) >= 0 {
		c.add(RuleDefinition, "definition.name", "contains a NUL character; remove it")
	}
	c.changeSet(d)
	c.length(RuleRationale, "rationale", d.Rationale, MaxRationale)
	if n := len(d.Examples); n > MaxExamples {
		c.add(RuleExamples, "examples", "has %d; the limit is %d", n, MaxExamples)
	}
	for i, text := range d.Examples[:min(len(d.Examples), MaxExamples)] {
		c.length(RuleExamples, jsondoc.Index("examples", i), text, MaxExample)
	}
	if n := len(d.TestCases); n > MaxTestCases {
		c.add(RuleTestCases, "testCases", "has %d; the limit is %d", n, MaxTestCases)
	}
	if n := len(d.Canonical()); n > MaxDraft {
		c.add(RuleSubject, jsondoc.Root, "has %d bytes as JSON; the limit is %d", n, MaxDraft)
	}
	return c.problems
}

// This file checks drafts for completeness.

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

// Problems returns the reasons why d cannot be submitted, in the order of the template. Each
// problem has a path. Problems returns nil if d can be submitted.
func (d Draft) Problems() Problems {
	var c template
	c.subject(d)
	c.versions(d)
	c.definition(d)
	if blank(d.Rationale) {
		c.add(RuleRationale, "rationale", "missing; expected the reason for the change, for the person who decides")
	} else {
		c.length(RuleRationale, "rationale", d.Rationale, MaxRationale)
	}
	if !d.Subject.Kind.InFiles() || len(d.Examples)+len(d.TestCases) > 0 { // files have no invocations
		c.examples(d)
		c.testCases(d)
	}
	c.changeSet(d)
	c.texts(d)
	return c.problems
}

// template collects the problems of a draft.
type template struct{ problems Problems }

func (c *template) add(rule, path, format string, args ...any) {
	c.append(Problem{Rule: rule, Problem: jsondoc.Problem{Path: path, Message: fmt.Sprintf(format, args...)}})
}

// maxProblems is the maximum number of problems that are reported for a draft. If a draft
// has more problems, an additional entry states this.
const maxProblems = 300

func (c *template) append(p Problem) {
	switch n := len(c.problems); {
	case n < maxProblems:
		c.problems = append(c.problems, p)
	case n == maxProblems:
		c.problems = append(c.problems, Problem{Rule: RuleSubject, Problem: jsondoc.Problem{
			Path: jsondoc.Root, Message: fmt.Sprintf("more than %d problems; only the first %[1]d are listed", maxProblems),
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
		c.add(RuleSubject, "subject", "missing; expected the tool or agent to change, such as tool:user/scene_pacer")
	} else if _, err := registry.ParseSubject(d.Subject.String()); err != nil {
		c.add(RuleSubject, "subject", "expected a tool or an agent in a layer, such as tool:user/scene_pacer; got %s", jsondoc.Quote(d.Subject.String()))
	}
}

func (c *template) versions(d Draft) {
	known := slices.Contains(Types(), d.Type)
	switch {
	case d.BaseVersion == nil && d.Type == New: // Base returns 0, which is the only valid base of a new subject
	case d.BaseVersion == nil:
		c.add(RuleBaseVersion, "baseVersion", "missing; expected the live version on which the draft is based")
	case d.Type == New && *d.BaseVersion != 0:
		c.add(RuleBaseVersion, "baseVersion", "must be 0 for a new subject (got %d)", *d.BaseVersion)
	case d.Type != New && known && *d.BaseVersion < 1:
		c.add(RuleBaseVersion, "baseVersion", "must be the live version of the subject, and at least 1, for type %[2]s (got %[1]d)", *d.BaseVersion, d.Type)
	case *d.BaseVersion < 0:
		c.add(RuleBaseVersion, "baseVersion", "must not be negative (got %d)", *d.BaseVersion)
	}
	switch {
	case d.Type != Restore && d.RestoreVersion != 0 && known:
		c.add(RuleRestoreVersion, "restoreVersion", "is only allowed for the type restore; omit the key")
	case d.Type != Restore:
	case d.RestoreVersion == 0:
		c.add(RuleRestoreVersion, "restoreVersion", "missing; expected the earlier version to restore")
	case d.RestoreVersion < 0:
		c.add(RuleRestoreVersion, "restoreVersion", "must be 1 or more (got %d)", d.RestoreVersion)
	case d.RestoreVersion >= d.Base() && d.Base() > 0:
		c.add(RuleRestoreVersion, "restoreVersion", "must be less than the live version %[2]d (got %[1]d)", d.RestoreVersion, d.Base())
	}
}

func (c *template) definition(d Draft) {
	if withoutEmpty(d.Definition).IsZero() {
		if d.Type == New || d.Type == Modify {
			c.add(RuleDefinition, "definition", "missing; a proposal of type %s needs the complete new definition", d.Type)
		}
		return
	}
	if kind := d.Definition.Kind(); d.Subject.Kind != "" && kind != d.Subject.Kind {
		c.add(RuleDefinition, "definition", "is the definition of %s, but the subject is %s", article(kind), article(d.Subject.Kind))
		return
	}
	if d.Type != Deactivate { // definitions approved by earlier releases can always be deactivated
		for _, p := range d.Definition.Problems("definition") {
			c.append(Problem{Rule: RuleDefinition, Problem: p})
		}
	}
	if id := d.Definition.ID(); registry.ValidID(id) && d.Subject.ID != "" && id != d.Subject.ID {
		c.add(RuleDefinition, "definition.id", "is %s, but must be the id of the subject, %s", id, jsondoc.Quote(d.Subject.ID))
	}
}

func (c *template) examples(d Draft) {
	if n := len(d.Examples); n < MinExamples || n > MaxExamples {
		c.add(RuleExamples, "examples", "expected %[2]d or %[3]d concrete invocations (got %[1]d)", n, MinExamples, MaxExamples)
	}
	first := map[string]int{}
	for i, text := range d.Examples {
		path := jsondoc.Index("examples", i)
		if blank(text) {
			c.add(RuleExamples, path, "blank; expected a concrete invocation")
			continue
		}
		c.length(RuleExamples, path, text, MaxExample)
		if j, ok := first[foldKey(text)]; ok {
			c.add(RuleExamples, path, "duplicates %s; expected a different example", jsondoc.Index("examples", j))
			continue
		}
		first[foldKey(text)] = i
	}
}

// foldKey returns the same key for texts that differ only in letter case and white space.
func foldKey(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// validChangeSet matches the name of a change set.
var validChangeSet = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$`)

func (c *template) changeSet(d Draft) {
	if d.ChangeSet != "" && !validChangeSet.MatchString(d.ChangeSet) {
		c.add(RuleChangeSet, "changeSet", `expected a name of at most 64 letters, digits, spaces, ".", "_" and "-", starting with a letter or a digit; got %s`, jsondoc.Quote(d.ChangeSet))
	}
}

func (c *template) length(rule, path, text string, limit int) {
	if message := checkLength(text, limit); message != "" {
		c.add(rule, path, "%s", message)
	}
}

// blank reports whether s has no visible characters. Such a text is empty, or consists of
// white space, control characters, and other characters that are not drawn.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != brailleBlank && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// brailleBlank is the Braille pattern without dots. It is invisible although Unicode
// classifies it as a symbol.
const brailleBlank = '\u2800'

// texts checks all texts of d for merge conflict markers and placeholders of the skeleton.
// It also checks texts outside of the definition for NULs. NULs in the definition are
// reported by the checks of the definition.
func (c *template) texts(d Draft) {
	doc, err := d.Node()
	if err != nil {
		c.add(RuleSubject, jsondoc.Root, "cannot be written as JSON: %v", err)
		return
	}
	doc.Walk(func(n *jsondoc.Node, path func() string) bool {
		if n.Kind == jsondoc.String {
			if line := conflict(n.Text); line > 0 {
				c.add(RuleConflictMarkers, path(), "has an unresolved merge conflict at line %d of the text; keep one side and remove the markers", line)
			}
			if strings.IndexByte(n.Text, 0) >= 0 && ruleOf(path()) != RuleDefinition {
				c.add(ruleOf(path()), path(), "contains a NUL character; remove it")
			}
			if wanted, ok := placeholderIn(n.Text); ok {
				c.add(ruleOf(path()), path(), "still has a FILL IN placeholder; fill in %s", wanted)
			}
		}
		return len(c.problems) <= maxProblems
	})
}

// The markers of a merge conflict, in their order in a text. The lines of the common
// ancestor may be between the first two markers.
const (
	markOurs   = "<<<<<<<"
	markMiddle = "======="
	markTheirs = ">>>>>>>"
)

// conflict returns the line number, counted from 1, of the first merge conflict in text. It
// returns 0 if there is none. A conflict must contain all markers in order, because a
// heading or a quotation can look like a single marker.
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

// marks reports whether line begins with marker, and not with a longer run of the marker's
// character.
func marks(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && !strings.HasPrefix(rest, marker[:1])
}

// MaxDraft is the maximum size of a stored draft, in bytes of canonical JSON. It suffices
// for several of the longest texts, or for the largest skill.
const MaxDraft = 24 << 20

// Excess returns a problem for each field that is too long to be stored, or nil. Incomplete
// drafts can be stored. Their size is limited because they are stored permanently, and
// because lists show their name and change set to everybody.
func (d Draft) Excess() Problems {
	var c template
	name := d.Definition.Name()
	if d.Definition.Folder() != nil {
		name = "" // a path, which has its own limits
	}
	c.length(RuleDefinition, "definition.name", name, registry.MaxName)
	if strings.IndexByte(name, 0) >= 0 {
		c.add(RuleDefinition, "definition.name", "contains a NUL character; remove it")
	}
	c.changeSet(d)
	c.length(RuleRationale, "rationale", d.Rationale, MaxRationale)
	if n := len(d.Examples); n > MaxExamples {
		c.add(RuleExamples, "examples", "must not have more than %[2]d entries (got %[1]d)", n, MaxExamples)
	}
	for i, text := range d.Examples[:min(len(d.Examples), MaxExamples)] {
		c.length(RuleExamples, jsondoc.Index("examples", i), text, MaxExample)
	}
	if n := len(d.TestCases); n > MaxTestCases {
		c.add(RuleTestCases, "testCases", "must not have more than %[2]d entries (got %[1]d)", n, MaxTestCases)
	}
	if n := len(d.Canonical()); n > MaxDraft {
		c.add(RuleSubject, jsondoc.Root, "must not exceed %[2]d bytes as JSON (got %[1]d)", n, MaxDraft)
	}
	return c.problems
}

func (c *template) testCases(d Draft) {
	if n := len(d.TestCases); n < MinTestCases || n > MaxTestCases {
		c.add(RuleTestCases, "testCases", "expected %[2]d or %[3]d test cases (got %[1]d)", n, MinTestCases, MaxTestCases)
	}
	first := map[string]int{}
	for i, tc := range d.TestCases {
		path := jsondoc.Index("testCases", i)
		c.testCase(path, tc)
		if blank(tc.Name) {
			continue
		}
		if j, ok := first[foldKey(tc.Name)]; ok {
			c.add(RuleTestCases, jsondoc.Join(path, "name"), "duplicates the name of %s; expected a different name for each test case", jsondoc.Index("testCases", j))
			continue
		}
		first[foldKey(tc.Name)] = i
	}
	if len(d.TestCases) == 0 {
		return
	}
	for _, e := range []Expect{ExpectPass, ExpectFail} {
		if !slices.ContainsFunc(d.TestCases, func(tc TestCase) bool { return tc.Expect == e }) {
			c.add(RulePassAndFail, "testCases", "expected at least one test case that should pass and one that should fail; no test case should %s", e)
		}
	}
}

func (c *template) testCase(path string, tc TestCase) {
	name := jsondoc.Join(path, "name")
	switch {
	case blank(tc.Name):
		c.add(RuleTestCases, name, "missing; expected the purpose of the test case in a few words")
	case strings.ContainsAny(tc.Name, "\r\n"):
		c.add(RuleTestCases, name, "must be a single line of a few words")
	default:
		c.length(RuleTestCases, name, tc.Name, MaxTestCaseName)
	}
	if blank(tc.Input) {
		c.add(RuleTestCases, jsondoc.Join(path, "input"), "missing; expected the input of the model")
	}
	switch tc.Expect {
	case ExpectPass, ExpectFail:
	case "":
		c.add(RuleTestCases, jsondoc.Join(path, "expect"), "missing; expected pass or fail")
	default:
		c.add(RuleTestCases, jsondoc.Join(path, "expect"), "expected pass or fail; got %s", jsondoc.Quote(string(tc.Expect)))
	}
	checks := jsondoc.Join(path, "checks")
	switch n := len(tc.Checks); {
	case n == 0:
		c.add(RuleTestCases, checks, "missing; expected at least one check on the answer")
	case n > MaxChecks:
		c.add(RuleTestCases, checks, "must not have more than %[2]d checks (got %[1]d)", n, MaxChecks)
		return
	}
	for i, check := range tc.Checks {
		c.check(jsondoc.Index(checks, i), check)
	}
}

// check validates a check of a test case completely, because a draft need not have been
// decoded from a file.
func (c *template) check(path string, check Check) {
	value := jsondoc.Join(path, "value")
	i := slices.IndexFunc(checkTypes, func(known checkType) bool { return known.name == check.Type })
	switch {
	case check.Type == "":
		c.add(RuleTestCases, jsondoc.Join(path, "type"), "missing; expected one of %s", list(CheckTypes()))
		return
	case i < 0:
		c.add(RuleTestCases, jsondoc.Join(path, "type"), "expected one of %s; got %s", list(CheckTypes()), jsondoc.Quote(string(check.Type)))
		return
	}
	if len(check.Value) == 0 {
		if needs := checkTypes[i].needs; needs != "" {
			c.add(RuleTestCases, value, "missing; a %s check needs %s", check.Type, needs)
		}
		return
	}
	n, err := jsondoc.Parse(check.Value, limits)
	if err != nil {
		c.add(RuleTestCases, value, "is not valid JSON")
		return
	}
	if message := valueProblem(check.Type, n); message != "" {
		c.add(RuleTestCases, value, "%s", message)
	}
}

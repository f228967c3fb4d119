package proposals

import (
	"strings"

	"toolcrib/registry/jsondoc"
)

// texts looks for leftovers in any text of d: the markers of a merge conflict, the
// placeholders of the skeleton, and a NUL, which the definition's own problems
// cover.
func (c *template) texts(d Draft) {
	doc, err := d.node()
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

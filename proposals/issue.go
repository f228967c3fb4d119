package proposals

import (
	"fmt"
	"strings"
	"time"

	"toolcrib/registry"
)

// IssueStatus reports whether anybody still has something to do.
type IssueStatus string

// The statuses of an issue.
const (
	IssueOpen   IssueStatus = "open"
	IssueClosed IssueStatus = "closed"
)

// Assignees of an issue that are roles; every other assignee is an Actor in
// its text form.
const (
	AssigneeChief = "chief"
	AssigneeUser  = "user"
)

// Issue is the public side of a proposal: whose turn it is, and the thread.
type Issue struct {
	Number   int
	Proposal ID
	Title    string
	Assignee string // AssigneeChief, AssigneeUser or an Actor; "" when closed
	Status   IssueStatus
	Labels   []string
}

// Comment is one entry of a proposal's thread. It may be anchored to a line of
// a field of a revision.
type Comment struct {
	ID       string // UUIDv7
	Proposal ID
	Author   Actor
	At       time.Time
	Body     string // Markdown
	Revision int    // the revision it is about
	Field    string // JSON path, "" when not anchored
	Line     int    // counted from 1, 0 when not anchored
}

// MaxComment is the longest comment in characters.
const MaxComment = 20_000

// IssueTitle returns the title of the issue that a submission opens.
func IssueTitle(s registry.Subject, name string) string {
	kind := "Tool"
	switch s.Kind {
	case registry.KindAgent:
		kind = "Agent"
	case registry.KindList:
		kind = "List"
	case registry.KindTool:
	}
	return fmt.Sprintf("[%s Proposal] %s", kind, name)
}

// IssueLabels returns the labels a submission's issue carries.
func IssueLabels(p Proposal) []string {
	labels := []string{string(p.Subject.Kind) + "-proposal", string(p.Type), string(p.Subject.Layer)}
	if p.ChangeSet != "" {
		labels = append(labels, "set:"+p.ChangeSet)
	}
	return labels
}

// IssueBody writes the body of the issue from a revision: the change, its
// rationale, and its test cases. It is derived, never stored, so it cannot differ
// from the revision.
func IssueBody(r Revision) string {
	var b strings.Builder
	d := r.Draft
	fmt.Fprintf(&b, "## Proposal\n\n%s `%s`, revision %d by %s, against version %d.\n", d.Type, d.Subject, r.Number, r.Author, d.Base())
	fmt.Fprintf(&b, "\n```json\n%s\n```\n", d.Definition.Canonical())
	fmt.Fprintf(&b, "\n## Rationale\n\n%s\n\n## Test cases\n\n", d.Rationale)
	for _, c := range d.TestCases {
		fmt.Fprintf(&b, "- %s (should %s)\n", c.Name, c.Expect)
	}
	return b.String()
}

// Base returns the version the draft was made against, 0 when the author did
// not say.
func (d Draft) Base() int {
	if d.BaseVersion == nil {
		return 0
	}
	return *d.BaseVersion
}

// This file computes identifiers of findings and applies waivers to findings.

package review

import (
	"fmt"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// Standing is a finding with the waiver that covers it. Waiver is nil if no waiver covers the finding.
type Standing struct {
	rules.Finding
	Waiver *history.Waiver
}

// Open reports whether the finding needs attention: the change introduces it, and no waiver covers it.
func (s Standing) Open() bool { return s.Waiver == nil && !s.Carried }

// Blocks reports whether the finding prevents approval of the revision.
func (s Standing) Blocks() bool { return s.Open() && s.Severity == rules.Block }

// Handle returns a short identifier of f for users, such as "S104@definition.prompt#1f2e3d4c". The part after "#" is
// the start of the hash of the passage.
func Handle(f rules.Finding) string { return f.Rule + "@" + f.Path + "#" + f.PassageHash()[:8] }

// FindingKey returns an identifier of f that is the same in all revisions with the same passage.
func FindingKey(f rules.Finding) string { return f.Rule + "@" + f.Path + "#" + f.PassageHash() }

// ApplyWaivers returns the findings of a revision, each with the waiver that covers it. A waiver ceases to apply when
// its passage changes, when a new finding appears in the same field, or when it expires. A waiver of a finding without
// a passage applies only to the revision of the finding, because the same rule may have another cause in another
// revision.
func ApplyWaivers(findings []rules.Finding, waivers []history.Waiver, revision int, now time.Time) []Standing {
	standing := make([]Standing, len(findings))
	for i, f := range findings {
		standing[i] = Standing{Finding: f}
		if !f.Waivable {
			continue
		}
		for _, w := range slices.Backward(waivers) {
			if f.Passage == "" && w.Revision != revision {
				continue
			}
			if w.Ends() && covers(w, f) {
				break // w revokes the earlier waivers
			}
			if holds(w, f, findings, now) {
				standing[i].Waiver = &w
				break
			}
		}
	}
	return standing
}

// covers reports whether w has the rule, the path, and the passage of f.
func covers(w history.Waiver, f rules.Finding) bool {
	return w.Rule == f.Rule && w.Path == f.Path && w.PassageHash == f.PassageHash()
}

func holds(w history.Waiver, f rules.Finding, all []rules.Finding, now time.Time) bool {
	if !covers(w, f) || w.ExpiresAt != nil && !now.Before(*w.ExpiresAt) {
		return false
	}
	unseen := slices.Clone(w.Field)
	for _, other := range all {
		if other.Path != f.Path {
			continue
		}
		i := slices.Index(unseen, FindingKey(other))
		if i < 0 {
			return false // other is a new finding, or its passage occurs more often than at the time of w
		}
		unseen = slices.Delete(unseen, i, i+1)
	}
	return true
}

// Tally counts the findings in the assessment a for the queue. The parameter now determines which waivers have
// expired.
func Tally(a Assessment, waivers []history.Waiver, now time.Time) proposals.Summary {
	return Summarize(a.Recommendation, ApplyWaivers(a.Report.Findings, waivers, a.Revision, now))
}

// Summarize counts the findings in standing for the queue. It does not count carried findings.
func Summarize(recommendation proposals.Recommendation, standing []Standing) proposals.Summary {
	s := proposals.Summary{Recommendation: recommendation}
	worst := rules.Off
	for _, f := range standing {
		if f.Carried {
			continue
		}
		s.Findings++
		if f.Blocks() {
			s.Blocks++
		}
		if f.Open() && f.Severity == rules.Warn {
			s.Warns++
		}
		if w := f.Waiver; w != nil && w.ExpiresAt != nil && (s.WaivedUntil.IsZero() || w.ExpiresAt.Before(s.WaivedUntil)) {
			s.WaivedUntil = *w.ExpiresAt
		}
		if f.Severity.Rank() > worst.Rank() {
			worst = f.Severity
			s.Worst = string(worst)
		}
	}
	return s
}

// RuleFindings counts the open findings of a rule in a revision.
type RuleFindings struct {
	Rule     string
	Severity rules.Severity
	Count    int
	First    Standing
}

// OpenByRule counts open findings by rule, in the order of the first finding of each rule.
func OpenByRule(standing []Standing) []RuleFindings {
	var sums []RuleFindings
	at := map[string]int{}
	for _, s := range standing {
		if !s.Open() {
			continue
		}
		i, known := at[s.Rule]
		if !known {
			i, at[s.Rule] = len(sums), len(sums)
			sums = append(sums, RuleFindings{Rule: s.Rule, Severity: s.Severity, First: s})
		}
		sums[i].Count++
	}
	return sums
}

// BlocksByRule counts the findings that prevent approval by rule, in the order of the first finding of each rule.
func BlocksByRule(standing []Standing) []RuleFindings {
	blocks := lists.Filter(standing, Standing.Blocks)
	return OpenByRule(blocks)
}

// Unwaived returns the open findings and the number of waived findings.
func Unwaived(standing []Standing) (open []rules.Finding, waived int) {
	for _, s := range standing {
		switch {
		case s.Open():
			open = append(open, s.Finding)
		case s.Waiver != nil:
			waived++
		}
	}
	return open, waived
}

// Seal returns a hash over the parts of the finding that deciders see, including the id of its waiver.
func (s Standing) Seal() string {
	waived := ""
	if s.Waiver != nil {
		waived = s.Waiver.ID
	}
	return history.Seal(FindingKey(s.Finding), string(s.Severity), s.Message, waived)
}

// WaiversInForce returns the waivers that cover at least one finding.
func WaiversInForce(standing []Standing) []history.Waiver {
	var ws []history.Waiver
	for _, s := range standing {
		if s.Waiver != nil && !slices.ContainsFunc(ws, func(w history.Waiver) bool { return w.ID == s.Waiver.ID }) {
			ws = append(ws, *s.Waiver)
		}
	}
	return ws
}

// Carried groups findings in passages that one approved version already contains.
type Carried struct {
	Version  string // "version 3", or "version 3 of skill:user/pdf" for another subject
	By       string // user who approved the version
	Findings []Standing
}

// String returns a description of c, such as "2 findings were in version 3, approved by user:mara".
func (c Carried) String() string {
	if len(c.Findings) == 1 {
		return fmt.Sprintf("1 finding was in %s, approved by %s", c.Version, c.By)
	}
	return fmt.Sprintf("%d findings were in %s, approved by %s", len(c.Findings), c.Version, c.By)
}

// Rules returns the rules of the findings, without duplicates.
func (c Carried) Rules() []string {
	return lists.Union(nil, lists.Map(c.Findings, func(f Standing) string { return f.Rule }))
}

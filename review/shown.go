package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/impact"
)

// Shown is the state of a proposal that a user was last shown: its review digest, and the
// parts of it that an error can name when they differ later.
type Shown struct {
	Proposal proposals.ID
	Digest   string // "" when there was no assessment yet
	At       time.Time
	ShownParts
}

// ShownParts holds the parts that Shown compares, as they are stored.
type ShownParts struct {
	Revision       int                      `json:"revision"`
	ContentHash    string                   `json:"content_hash"`
	Assessment     string                   `json:"assessment,omitempty"`
	RulesVersion   string                   `json:"rules_version,omitempty"`
	Recommendation proposals.Recommendation `json:"recommendation,omitempty"`
	// Findings has the rule of each finding, then a seal of all its shown parts, its
	// waiver included.
	Findings []ShownFinding `json:"findings,omitempty"`
	Rendered string         `json:"rendered"` // seal over what it does to channel prompts
	// Members are those of the change set, itself included; none when it stands
	// alone.
	Members []ShownMember `json:"members,omitempty"`
}

// ShownFinding is a finding as Shown compares it.
type ShownFinding struct {
	Rule string `json:"rule"`
	Seal string `json:"seal"`
}

// ShownMember is a member of a change set as Shown compares it.
type ShownMember struct {
	ID          proposals.ID `json:"id"`
	Name        string       `json:"name"`
	Revision    int          `json:"revision"`
	ContentHash string       `json:"content_hash"`
}

// Shown records that actor was shown dossiers; an approval without a digest then
// applies to exactly that content. Only users approve, so it records nothing for
// anybody else, nor for closed proposals.
func (d *reading) Shown(ctx context.Context, actor proposals.Actor, ds ...Dossier) error {
	if actor.Kind != proposals.User || d.dryRun {
		return nil
	}
	now := make([]Shown, 0, len(ds))
	ids := make([]proposals.ID, 0, len(ds))
	for _, o := range ds {
		if o.Proposal.State.Open() {
			now, ids = append(now, d.shownOf(o)), append(ids, o.Proposal.ID)
		}
	}
	before, err := read(ctx, d.office, func(r Reader) (map[proposals.ID]Shown, error) { return r.Shown(ctx, actor, ids) })
	if err != nil {
		return err
	}
	now = slices.DeleteFunc(now, func(s Shown) bool {
		known, ok := before[s.Proposal]
		return ok && known.Digest == s.Digest && known.Revision == s.Revision
	})
	if len(now) == 0 {
		return nil
	}
	return d.store.Remember(ctx, actor, now)
}

// shownOf returns the state that a dossier shows.
func (d *reading) shownOf(o Dossier) Shown {
	s := Shown{Proposal: o.Proposal.ID, Digest: o.Digest, At: d.stamp()}
	var a Assessment
	if latest := o.Assessment(); latest != nil {
		a = *latest
	}
	s.ShownParts = shownParts(o.Proposal, a, o.Standing, o.Members, o.Rendered)
	return s
}

func shownParts(p proposals.Proposal, a Assessment, standing []Standing, members []proposals.Proposal, rendered map[string]string) ShownParts {
	parts := ShownParts{
		Revision: p.Revision, ContentHash: p.ContentHash, Assessment: a.ID, RulesVersion: a.RulesVersion,
		Recommendation: a.Recommendation, Rendered: history.Seal(impact.Seal(rendered)),
	}
	for _, s := range standing {
		parts.Findings = append(parts.Findings, ShownFinding{s.Rule, s.seal()[:12]})
	}
	if p.ChangeSet != "" {
		for _, m := range members {
			parts.Members = append(parts.Members, ShownMember{m.ID, m.Name(), m.Revision, m.ContentHash})
		}
	}
	return parts
}

// changes names the parts of v that differ from the shown ones.
func (s Shown) changes(v view) []string {
	p := v.Proposal
	now := shownParts(p, v.Assessment, v.Standing, v.changeSet.members, v.Rendered)
	facts := memberChanges(p, s.Members, now.Members)
	switch {
	case now.Revision != s.Revision || now.ContentHash != s.ContentHash:
		return append([]string{newRevision(p.Name(), s.Revision, now.Revision) + " by " + v.Revision.Author.String()}, facts...)
	case s.Assessment == "" && now.Assessment != "":
		return append(facts, p.Name()+" was not assessed yet")
	}
	if now.RulesVersion != s.RulesVersion {
		facts = append(facts, p.Name()+" was assessed with other rules or another configuration")
	}
	if added := without(now.Findings, s.Findings); len(added) > 0 {
		facts = append(facts, p.Name()+" has new or changed findings: "+strings.Join(ruleNames(added), ", "))
	} else if gone := without(s.Findings, now.Findings); len(gone) > 0 {
		facts = append(facts, p.Name()+" lost findings: "+strings.Join(ruleNames(gone), ", "))
	}
	if now.Recommendation != s.Recommendation {
		facts = append(facts, fmt.Sprintf("the recommendation for %s is %s and was %s", p.Name(), now.Recommendation, s.Recommendation))
	}
	if now.Rendered != s.Rendered {
		facts = append(facts, p.Name()+" changes other channel prompts, or the same ones differently")
	}
	if len(facts) == 0 && now.Assessment != s.Assessment {
		facts = append(facts, p.Name()+" was assessed again")
	}
	return facts
}

// memberChanges names who joined or left the change set of p, and who of the
// others was revised.
func memberChanges(p proposals.Proposal, before, now []ShownMember) []string {
	var facts []string
	known := map[proposals.ID]ShownMember{}
	for _, m := range before {
		known[m.ID] = m
	}
	for _, m := range now {
		old, ok := known[m.ID]
		delete(known, m.ID)
		switch {
		case !ok:
			facts = append(facts, fmt.Sprintf("%s is a new member of change set %q", m.Name, p.ChangeSet))
		case m.ID != p.ID && (m.Revision != old.Revision || m.ContentHash != old.ContentHash):
			facts = append(facts, newRevision(m.Name, old.Revision, m.Revision))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		facts = append(facts, fmt.Sprintf("%s is no longer a member of the change set", known[id].Name))
	}
	return facts
}

func newRevision(name string, shown, now int) string {
	return fmt.Sprintf("%s is at revision %d, and you were shown revision %d", name, now, shown)
}

// without returns the findings in all that are not in known.
func without(all, known []ShownFinding) []ShownFinding {
	return slices.DeleteFunc(slices.Clone(all), func(f ShownFinding) bool { return slices.Contains(known, f) })
}

// ruleNames returns the rules of findings, each once, and not too many.
func ruleNames(findings []ShownFinding) []string {
	var names []string
	for _, f := range findings {
		if !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	if len(names) > mostSteps {
		names = append(names[:mostSteps], fmt.Sprintf("%d more", len(names)-mostSteps))
	}
	return names
}

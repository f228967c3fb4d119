package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/approval"
	"toolcrib/review/rules"
)

// Setting is one value of the policy, and where it comes from.
type Setting struct {
	Key   string // as toolcrib.toml has it
	Value string
	From  string // "default", "user", "project", …
}

// Settings are a policy as decisions record it and as deciders are shown it.
type Settings []Setting

// Settings returns everything of p that a decision stands on.
func (p Policy) Settings() Settings {
	chief := "builtin"
	if p.ManualChief {
		chief = "manual"
	}
	s := Settings{
		{Key: "four_eyes", Value: strconv.FormatBool(p.FourEyes)},
		{Key: "require_expect", Value: strconv.FormatBool(p.RequireExpect)},
		{Key: "chief", Value: chief},
	}
	for _, id := range slices.Sorted(maps.Keys(p.Severities)) {
		s = append(s, Setting{Key: "rules." + id, Value: string(p.Severities[id])})
	}
	s = append(s, Setting{Key: "max_open_per_agent", Value: strconv.Itoa(p.MaxOpen)},
		Setting{Key: "max_open_all_agents", Value: strconv.Itoa(p.MaxOpenAll)}, Setting{Key: "max_writes_per_agent_hour", Value: strconv.Itoa(p.MaxWrites)})
	for i := range s {
		if s[i].From = p.Origins[s[i].Key]; s[i].From == "" {
			s[i].From = "default"
		}
	}
	return s
}

// ownership returns the rules of a need as settings.
func ownership(need approval.Need) Settings {
	settings := make(Settings, len(need))
	for i, r := range need {
		settings[i] = Setting{Key: fmt.Sprintf("policy.%d", i+1), Value: r.String(), From: r.From}
	}
	return settings
}

// Deciding are the settings that decide whether an approval is accepted; the
// limits of agents do not.
func (s Settings) Deciding() Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return strings.HasPrefix(s.Key, "max_") })
}

// From are the settings of one origin.
func (s Settings) From(origin string) Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return s.From != origin })
}

// String writes the settings on one line. More rules than a line has room for
// are counted by origin.
func (s Settings) String() string {
	var words []string
	changed := map[string]int{}
	for _, one := range s {
		if strings.HasPrefix(one.Key, "rules.") {
			changed[one.From]++
		}
	}
	for _, one := range s {
		if n := changed[one.From]; n > namedRules && strings.HasPrefix(one.Key, "rules.") {
			if word := fmt.Sprintf("%d rules set (%s)", n, one.From); !slices.Contains(words, word) {
				words = append(words, word)
			}
			continue
		}
		words = append(words, fmt.Sprintf("%s = %s (%s)", one.Key, one.Value, one.From))
	}
	return strings.Join(words, ", ")
}

// namedRules sets how many rules of one origin are named on a line.
const namedRules = 3

// record returns the policy as an event keeps it.
func (s Settings) record() map[string]any {
	record := map[string]any{}
	for _, one := range s {
		record[one.Key] = map[string]any{"value": one.Value, "from": one.From}
	}
	return record
}

// version names the policy as far as a decision depends on it.
func (p Policy) version() string {
	b, err := jsondoc.Marshal(p.Severities)
	if err != nil {
		panic(fmt.Sprintf("review: severities do not marshal: %v", err))
	}
	return history.Seal("toolcrib policy 2", fmt.Sprint(p.ManualChief), fmt.Sprint(p.FourEyes), fmt.Sprint(p.RequireExpect), string(b))[:12]
}

// Incomplete is everything that keeps a revision from being submitted, or a
// draft from being kept at all. It wraps ErrIncomplete or ErrExcess.
type Incomplete struct {
	What     string // "tool:user/scene_pacer"
	Problems proposals.Problems
	Excess   bool // even for a draft
}

// Head returns what cannot be done, as the beginning of a sentence.
func (e *Incomplete) Head() string {
	if e.Excess {
		return e.What + " cannot be kept"
	}
	return e.What + " cannot be submitted"
}

// Error lists the problems.
func (e *Incomplete) Error() string { return e.Head() + ": " + e.Problems.String() }

// Unwrap returns ErrIncomplete or ErrExcess.
func (e *Incomplete) Unwrap() error {
	if e.Excess {
		return ErrExcess
	}
	return ErrIncomplete
}

// checkSize refuses a draft that exceeds the size limits, of any author.
func checkSize(draft proposals.Draft) error {
	if ps := draft.Excess(); len(ps) > 0 {
		return &Incomplete{What: draft.Subject.String(), Problems: ps, Excess: true}
	}
	return nil
}

func incomplete(what string, ps proposals.Problems) error {
	if len(ps) == 0 {
		return nil
	}
	return &Incomplete{What: what, Problems: ps}
}

// submit passes a draft through the gate to the Chief of Staff, and through the
// built-in reviewer at once unless the policy has a manual chief. Callers call
// prefetchSimilar before.
func (d *Desk) submit(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	to, err := permit(actor, proposals.ActSubmit, p)
	if err != nil {
		return p, err
	}
	if err := d.gate(ctx, tx.Reader, actor, rev.Draft); err != nil {
		return p, err
	}
	from := p.State
	p.State, p.UpdatedAt = to, d.stamp()
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, err
	}
	p.Issue, err = tx.OpenIssue(ctx, proposals.Issue{
		Proposal: p.ID, Title: proposals.IssueTitle(p.Subject, p.Title), Assignee: proposals.AssigneeChief,
		Status: proposals.IssueOpen, Labels: proposals.IssueLabels(p),
	})
	if err != nil {
		return p, err
	}
	if err := d.log(ctx, tx, actor, "submit", p, p.UpdatedAt, "", map[string]any{"issue": p.Issue, "content_hash": p.ContentHash}); err != nil {
		return p, err
	}
	return d.receive(ctx, tx, p, rev)
}

// receive is the chief's desk: the built-in reviewer at once, or a wait for
// somebody outside. External reviewers are asked when the transaction is over.
func (d *Desk) receive(ctx context.Context, tx Tx, p proposals.Proposal, rev proposals.Revision) (proposals.Proposal, error) {
	if d.elsewhere() {
		return p, nil
	}
	p, _, err := d.assess(ctx, tx, proposals.BuiltinChief(), p, rev, Opinion{})
	return p, err
}

// elsewhere reports whether a submission waits for a reviewer that is not built
// in.
func (d *Desk) elsewhere() bool { return d.policy.ManualChief || len(d.policy.Consultants) > 0 }

// gate refuses a submission that is incomplete, does not fit the live version,
// touches the core, or was rejected before.
func (d *Desk) gate(ctx context.Context, r Reader, actor proposals.Actor, draft proposals.Draft) error {
	problems := draft.Problems()
	if len(problems) == 0 {
		unfit, err := fits(ctx, r, draft)
		if err != nil {
			return err
		}
		if problems = unfit; len(problems) == 0 {
			if problems, err = unseen(ctx, r, draft); err != nil {
				return err
			}
		}
	}
	if err := incomplete(draft.Subject.String(), problems); err != nil {
		return err
	}
	findings, err := d.rules.CheckFamilies(ctx, &rules.Change{Draft: draft, World: world{RegistryReader: r}}, "L")
	if err != nil {
		return err
	}
	for _, f := range findings {
		return fmt.Errorf("%w: %s %s", ErrLocked, f.Message, f.Suggestion)
	}
	if actor.Kind != proposals.Agent {
		return nil
	}
	rejected, err := r.Rejection(ctx, draft.Subject, draft.Definition.Hash())
	switch {
	case errors.Is(err, proposals.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %s with the same content was rejected by %s on %s, because: %s",
		ErrRepeated, draft.Subject, rejected.By, rejected.At.Format("2006-01-02"), rejected.Note)
}

// permit returns the state that an act of actor takes a proposal to. The error
// wraps proposals.ErrAuthority when the actor may not do it, and
// proposals.ErrState when nobody may while the proposal is where it is.
func permit(actor proposals.Actor, act proposals.Act, p proposals.Proposal) (proposals.State, error) {
	if err := proposals.Authorize(actor, act, p.Author); err != nil {
		return "", fmt.Errorf("%s: %w", p.Name(), err)
	}
	to, err := proposals.Next(p.State, act)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name(), err)
	}
	return to, nil
}

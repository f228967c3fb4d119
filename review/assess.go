package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// Opinion is what a reviewer other than the built-in one says of a revision.
// It adds to what the rules find and never takes away, and it can lower the
// recommendation, never raise it.
type Opinion struct {
	// Revision and ContentHash, when set, say what the reviewer looked at; an
	// opinion of anything but the current revision is refused.
	Revision       int
	ContentHash    string
	Recommendation proposals.Recommendation // "" for none
	Findings       []rules.Finding
	Comment        string
	Problems       []string // how the reviewer failed, if it did
}

// Assess files a chief's assessment of the current revision.
func (d *Desk) Assess(ctx context.Context, actor proposals.Actor, id proposals.ID, o Opinion) (Assessment, error) {
	var a Assessment
	err := d.update(ctx, func(tx Tx) error {
		p, rev, err := current(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := proposals.Authorize(actor, proposals.ActAssess, p.Author); err != nil {
			return fmt.Errorf("%s: %w", name(p), err)
		}
		_, a, err = d.assess(ctx, tx, actor, p, rev, o)
		return err
	})
	return a, err
}

// Reassess lets the built-in reviewer look again: after the rules, the
// configuration or the registry changed. It is no judgement of the caller's,
// so any actor may ask for it.
func (d *Desk) Reassess(ctx context.Context, id proposals.ID) (Assessment, error) {
	return d.Assess(ctx, proposals.BuiltinChief(), id, Opinion{})
}

func (d *Desk) assess(ctx context.Context, tx Tx, reviewer proposals.Actor, p proposals.Proposal, rev proposals.Revision, o Opinion) (proposals.Proposal, Assessment, error) {
	var a Assessment
	to, err := proposals.Next(p.State, proposals.ActAssess)
	if err != nil {
		return p, a, fmt.Errorf("%s: %w", name(p), err)
	}
	if o.Revision != 0 && o.Revision != p.Revision || o.ContentHash != "" && o.ContentHash != p.ContentHash {
		return p, a, fmt.Errorf("%s is at revision %d now; an assessment of other content counts for nothing: %w", name(p), p.Revision, ErrConflict)
	}
	report, err := d.examine(ctx, tx, rev.Draft)
	if err != nil {
		return p, a, err
	}
	if report.Findings, err = d.carried(ctx, tx, p, report.Findings); err != nil {
		return p, a, err
	}
	if report.Findings, err = adopt(report.Findings, o.Findings); err != nil {
		return p, a, err
	}
	report.Problems = o.Problems
	recommendation := recommend(report.Findings).Lower(o.Recommendation)
	report.Comment = d.comment(report.Findings, recommendation, o)
	a = Assessment{
		ID: d.newID(), Proposal: p.ID, Revision: p.Revision, ContentHash: rev.ContentHash, Reviewer: reviewer,
		Recommendation: recommendation, Report: report, RulesVersion: d.RulesVersion(), At: d.stamp(),
	}
	seal, err := tx.AddAssessment(ctx, a)
	if err != nil {
		return p, a, err
	}
	waivers, err := tx.Waivers(ctx, p.ID)
	if err != nil {
		return p, a, err
	}
	from := p.State
	p.State, p.UpdatedAt = to, a.At
	p.Summary = summarize(recommendation, stand(report.Findings, waivers, a.At))
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, a, err
	}
	if err := tx.AssignIssue(ctx, p.ID, proposals.AssigneeUser, proposals.IssueOpen); err != nil {
		return p, a, err
	}
	err = d.log(ctx, tx, reviewer, "assess", p, seal, map[string]any{
		"assessment": a.ID, "recommendation": string(recommendation), "findings": p.Summary.Findings, "blocks": p.Summary.Blocks,
	})
	return p, a, err
}

// examine runs the rules over a draft as it would meet the live registry.
func (d *Desk) examine(ctx context.Context, r RegistryReader, draft proposals.Draft) (Report, error) {
	before, err := live(ctx, r, draft.Subject)
	if err != nil {
		return Report{}, err
	}
	findings, err := d.rules.Check(ctx, &rules.Change{Draft: draft, Before: before, World: world{r}})
	return Report{Findings: findings}, err
}

// carried adds the findings that other reviewers made of the same revision: a
// new assessment may add to them but not drop them.
func (d *Desk) carried(ctx context.Context, tx Tx, p proposals.Proposal, findings []rules.Finding) ([]rules.Finding, error) {
	before, err := tx.Assessments(ctx, p.ID, p.Revision)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, r := range rules.All() {
		known[r.ID] = true
	}
	for _, a := range before {
		for _, f := range a.Report.Findings {
			if !known[f.Rule] && !slices.ContainsFunc(findings, func(g rules.Finding) bool { return key(g) == key(f) }) {
				findings = append(findings, f)
			}
		}
	}
	return findings, nil
}

// ErrOpinion is wrapped when an external reviewer's findings can not be used.
var ErrOpinion = errors.New("not a usable finding")

// ExternalRule is the family letter of findings that no rule of ours made.
const ExternalRule = "X"

// adopt adds an external reviewer's findings under ids of their own, so that
// none of them passes for, or replaces, what a rule found.
func adopt(findings, external []rules.Finding) ([]rules.Finding, error) {
	for i, f := range external {
		switch {
		case f.Severity != rules.Info && f.Severity != rules.Warn && f.Severity != rules.Block:
			return nil, fmt.Errorf("%w: findings[%d].severity is %q; expected info, warn or block", ErrOpinion, i, f.Severity)
		case f.Message == "":
			return nil, fmt.Errorf("%w: findings[%d].message is missing", ErrOpinion, i)
		}
		if f.Rule == "" || f.Rule[:1] != ExternalRule {
			f.Rule = ExternalRule + "001"
		}
		if f.Path == "" {
			f.Path = "$"
		}
		f.Waivable = true
		findings = append(findings, f)
	}
	return findings, nil
}

// recommend is the policy by which findings become a recommendation:
//
//   - reject, when a core tool is touched or something dangerous is certain: a
//     block of family L or S;
//   - needs_changes, when any other finding blocks, or a warning says that
//     the text could turn an agent against its user or its protocol: a warning
//     of family S or P;
//   - approve otherwise; other warnings are for the user to weigh.
func recommend(findings []rules.Finding) proposals.Recommendation {
	worst := proposals.RecommendApprove
	for _, f := range findings {
		family := f.Rule[:1]
		switch {
		case f.Severity == rules.Block && (family == "L" || family == "S"):
			worst = worst.Lower(proposals.RecommendReject)
		case f.Severity == rules.Block, f.Severity == rules.Warn && (family == "S" || family == "P"):
			worst = worst.Lower(proposals.RecommendNeedsChanges)
		}
	}
	return worst
}

package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
)

// bundleColumns are the columns that scanBundle reads: those of a proposal, then of its
// current revision and the latest assessment of that, as they are stored, and whether
// there are waivers.
const bundleColumns = proposalColumns + `,
	coalesce(r.number, 0), coalesce(r.draft, ''), coalesce(r.content_hash, ''), coalesce(r.author, ''), coalesce(r.created_at, ''),
	coalesce(a.id, ''), coalesce(a.content_hash, ''), coalesce(a.reviewer, ''), coalesce(a.recommendation, ''), coalesce(a.report, ''),
	coalesce(a.rules_version, ''), coalesce(a.created_at, ''), EXISTS (SELECT 1 FROM waivers w WHERE w.proposal = p.id)`

const selectBundles = "SELECT" + bundleColumns + ` FROM json_each($1, '$') j CROSS JOIN proposals p
	LEFT JOIN live l ON l.subject = p.subject
	LEFT JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
	LEFT JOIN assessments a ON a.seq = (SELECT max(seq) FROM assessments WHERE proposal = p.id AND revision = p.revision)
	WHERE p.id = j.value`

// bundle is a review.Bundle of which some texts were not parsed yet.
type bundle struct {
	review.Bundle
	author, created              string // of the revision
	reviewer, report, assessedAt string
	waived                       bool
}

// extendedRow is a row whose last columns are scanned into rest.
type extendedRow struct {
	scanner
	rest []any
}

// Scan implements scanner.
func (w extendedRow) Scan(dest ...any) error { return w.scanner.Scan(append(dest, w.rest...)...) }

func scanBundle(row scanner) (bundle, error) {
	var b bundle
	r, a := &b.Revision, &b.Assessment
	var err error
	b.Proposal, err = scanProposal(extendedRow{row, []any{
		&r.Number, &r.Text, &r.ContentHash, &b.author, &b.created,
		&a.ID, &a.ContentHash, &b.reviewer, &a.Recommendation, &b.report, &a.RulesVersion, &b.assessedAt, &b.waived,
	}})
	return b, err
}

// parse reads the texts of the revision and of the assessment.
func (b *bundle) parse() error {
	p, r, a := b.Proposal, &b.Revision, &b.Assessment
	if r.Number == 0 {
		return notFound("revision %d of proposal %s", p.Revision, p.ID)
	}
	r.Proposal = p.ID
	err := errors.Join(
		into(&r.Draft, parseDraft, r.Text),
		into(&r.Author, parseActor, b.author),
		into(&r.CreatedAt, history.ParseTimestamp, b.created),
	)
	if err != nil || a.ID == "" {
		return err
	}
	a.Proposal, a.Revision = p.ID, p.Revision
	return errors.Join(
		into(&a.Reviewer, parseActor, b.reviewer),
		into(&a.Report, review.DecodeReport, b.report),
		into(&a.At, history.ParseTimestamp, b.assessedAt),
	)
}

// Bundles implements review.RecordReader.
func (s recordTables) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	found, err := all(ctx, s, scanBundle, selectBundles, string(list))
	if err != nil {
		return nil, err
	}
	for i := range found {
		if err := found[i].parse(); err != nil {
			return nil, err
		}
	}
	byID := make(map[proposals.ID]*review.Bundle, len(found))
	for i := range found {
		byID[found[i].Proposal.ID] = &found[i].Bundle
	}
	if slices.ContainsFunc(found, func(b bundle) bool { return b.waived }) {
		if err := s.bundleWaivers(ctx, string(list), byID); err != nil {
			return nil, err
		}
	}
	bundles := make([]review.Bundle, len(ids))
	for i, id := range ids {
		b, ok := byID[id]
		if !ok {
			return nil, notFound("proposal %s", id)
		}
		bundles[i] = *b
	}
	return bundles, nil
}

// bundleWaivers adds the waivers of a list of ids to their bundles.
func (s recordTables) bundleWaivers(ctx context.Context, list string, bundles map[proposals.ID]*review.Bundle) error {
	const query = `SELECT w.proposal, w.waiver FROM (SELECT DISTINCT value FROM json_each($1, '$')) j CROSS JOIN waivers w WHERE w.proposal = j.value ORDER BY w.seq`
	err := s.Each(ctx, query, []any{list}, func(row scanner) error {
		var id proposals.ID
		var text string
		var w history.Waiver
		if err := row.Scan(&id, &text); err != nil {
			return err
		}
		if err := into(&w, parseWaiver, text); err != nil {
			return err
		}
		b, ok := bundles[id]
		if !ok {
			return fmt.Errorf("%w: a waiver refers to proposal %s, which is missing", ErrDamaged, id)
		}
		b.Waivers = append(b.Waivers, w)
		return nil
	})
	if err != nil {
		return err
	}
	for _, b := range bundles {
		if b.Waivers, err = trusted(s).countedWaivers(ctx, b.Proposal, b.Waivers); err != nil {
			return err
		}
	}
	return nil
}

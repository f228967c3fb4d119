package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/engine"
	"toolcrib/store/records"
	"toolcrib/store/table"
)

// bundle holds the selected columns of a review.Bundle.
type bundle struct {
	review.Bundle
	revised, assessed, waived bool
}

// selectBundles selects proposals, their current revisions with the latest assessments, and whether
// there are waivers.
var selectBundles = "SELECT" + listColumns + ", " + RevisionTable.Columns(new(proposals.Revision)).Maybe("r", "seq") + ", " +
	records.AssessmentTable.Columns(new(review.Assessment)).Maybe("a", "seq") + `, EXISTS (SELECT 1 FROM waivers w WHERE w.proposal = p.id)
	FROM json_each($1, '$') j CROSS JOIN proposals p
	LEFT JOIN live l ON l.subject = p.subject
	LEFT JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
	LEFT JOIN assessments a ON a.seq = (SELECT max(seq) FROM assessments WHERE proposal = p.id AND revision = p.revision)
	WHERE p.id = j.value`

// Bundles implements review.RecordReader.
func (s Records) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	columns := func(b *bundle) table.Columns {
		return slices.Concat(proposalRow(&b.Proposal), RevisionTable.Columns(&b.Revision).When(&b.revised), records.AssessmentTable.Columns(&b.Assessment).When(&b.assessed),
			table.Columns{table.Col("waived", &b.waived)})
	}
	found, err := table.All(ctx, s.Reviews, table.Reading(columns), selectBundles, string(list))
	if err != nil {
		return nil, err
	}
	byID := make(map[proposals.ID]*review.Bundle, len(found))
	waived := false
	for i := range found {
		p := found[i].Proposal
		if !found[i].revised {
			return nil, table.NotFound("revision %d of proposal %s", p.Revision, p.ID)
		}
		byID[p.ID] = &found[i].Bundle
		waived = waived || found[i].waived
	}
	if waived {
		if err := s.bundleWaivers(ctx, string(list), byID); err != nil {
			return nil, err
		}
	}
	bundles := make([]review.Bundle, len(ids))
	for i, id := range ids {
		b, ok := byID[id]
		if !ok {
			return nil, table.NotFound("proposal %s", id)
		}
		bundles[i] = *b
	}
	return bundles, nil
}

// bundleWaivers adds the waivers of the proposals in list, a JSON array of ids, to their bundles.
func (s Records) bundleWaivers(ctx context.Context, list string, bundles map[proposals.ID]*review.Bundle) error {
	query := "SELECT " + records.WaiverTable.Columns(new(records.Waiver)).Of("w") + ` FROM (SELECT DISTINCT value FROM json_each($1, '$')) j CROSS JOIN waivers w WHERE w.proposal = j.value ORDER BY w.seq`
	scan := table.Reading(records.WaiverTable.Columns)
	err := s.Reviews.Each(ctx, query, []any{list}, func(row table.Scanner) error {
		w, err := scan(row)
		if err != nil {
			return err
		}
		b, ok := bundles[w.Proposal]
		if !ok {
			return fmt.Errorf("%w: a waiver refers to proposal %s, which is missing", engine.ErrDamaged, w.Proposal)
		}
		b.Waivers = append(b.Waivers, w.Waiver)
		return nil
	})
	if err != nil {
		return err
	}
	for _, b := range bundles {
		if b.Waivers, err = records.Signatures(s.Reviews).CountedWaivers(ctx, b.Proposal, b.Waivers); err != nil {
			return err
		}
	}
	return nil
}

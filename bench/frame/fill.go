package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
)

// fill makes a database with n proposals, of which one in twenty was submitted.
func fill(ctx context.Context, path string, n int) (err error) {
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	db, err := store.Open(ctx, path, store.Options{Now: time.Now, NewID: newID})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	desk, err := review.New(db, review.Policy{}, time.Now, newID)
	if err != nil {
		return err
	}
	const batch = 500
	mara := proposals.Actor{Kind: proposals.User, Name: "mara"}
	for from := 0; from < n; from += batch {
		var drafts, submissions []proposals.Draft
		for i := from; i < min(from+batch, n); i++ {
			if d := draft(i); i%20 == 0 {
				submissions = append(submissions, d)
			} else {
				drafts = append(drafts, d)
			}
		}
		if _, err := desk.Propose(ctx, mara, drafts, false); err != nil {
			return err
		}
		if _, err := desk.Propose(ctx, mara, submissions, true); err != nil {
			return err
		}
	}
	return nil
}

// draft is a proposal as people write them.
func draft(n int) proposals.Draft {
	id, base := fmt.Sprintf("scene_pacer_%d", n), 0
	slow, fine := "Slow: lines 3 to 9.", "Nothing drags."
	return proposals.Draft{
		Type: proposals.New, BaseVersion: &base,
		Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id},
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: id, Kind: registry.PromptTool, Name: fmt.Sprintf("Scene Pacer %d", n), Archetype: "Editor", Scope: registry.ScopeFile,
			UsageNotes: "Use it on a scene that feels long.", Goals: "Name the passages that drag.", Guardrails: "Change nothing.",
			Prompt:   fmt.Sprintf("Read scene %d and name the lines that slow it down, with a reason for each.", n),
			Category: "analysis", Approval: &registry.Approval{Tier: registry.AutoApprove},
		}},
		Rationale: "The long chapters lose their readers.", Examples: []string{"Check the harbour scene", "Check chapter two"},
		TestCases: []proposals.TestCase{
			{Name: "slow lines are named", Input: "a slow scene", Expect: proposals.ExpectPass, Output: &slow, Checks: []proposals.Check{{Type: proposals.CheckContains, Value: []byte(`"Slow"`)}}},
			{Name: "a quick scene", Input: "a quick scene", Expect: proposals.ExpectFail, Output: &fine, Checks: []proposals.Check{{Type: proposals.CheckContains, Value: []byte(`"Slow"`)}}},
		},
	}
}

package storetest

import (
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
)

// Queue writes the given proposals with one revision each, bypassing the desk, for tests of lists and lookups. It fills
// in empty fields.
func (d *Database) Queue(t testing.TB, ps ...proposals.Proposal) []proposals.Proposal {
	t.Helper()
	err := d.Update(t.Context(), func(tx review.Tx) error {
		for i := range ps {
			complete(d, &ps[i])
			p := ps[i]
			p.State = proposals.Drafted
			revision := proposals.Revision{
				Proposal: p.ID, Number: 1, Draft: proposals.Draft{Type: p.Type, Subject: p.Subject, ChangeSet: p.ChangeSet},
				ContentHash: p.ContentHash, Author: p.Author, CreatedAt: p.CreatedAt,
			}
			if _, err := tx.AddProposal(t.Context(), p, revision, nil); err != nil {
				return err
			}
			if ps[i].State == proposals.Drafted {
				continue
			}
			p.State = ps[i].State
			if err := tx.MoveProposal(t.Context(), p, proposals.Drafted); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func complete(d *Database, p *proposals.Proposal) {
	if p.ID == "" {
		p.ID = proposals.ID(d.NewID())
	}
	if p.Type == "" {
		p.Type = proposals.New
	}
	if p.State == "" {
		p.State = proposals.Drafted
	}
	if p.Subject.ID == "" {
		p.Subject = Prompt("scene_pacer").Subject
	}
	if p.Author == (proposals.Actor{}) {
		p.Author = proposals.Actor{Kind: proposals.User, Name: "ada"}
	}
	p.Revision, p.CreatedAt = 1, d.Clock.Now()
	p.UpdatedAt = p.CreatedAt
}

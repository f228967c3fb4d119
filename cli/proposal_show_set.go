package cli

import (
	"context"
	"errors"

	"toolcrib/proposals"
	"toolcrib/review"
)

// docChangeSet is a whole change set. Its review digest covers all members
// together.
type docChangeSet struct {
	docHead
	ChangeSet    string           `json:"change_set"`
	ReviewDigest string           `json:"review_digest"`
	Proposals    []docWholeDetail `json:"proposals"`
}

func (b session) showSet(ctx context.Context, a *app, name string) error {
	set, err := b.desk.ShowSet(ctx, b.actor, name)
	if err != nil {
		return err
	}
	doc := docChangeSet{docHead: head("change_set"), ChangeSet: name, ReviewDigest: set.Digest}
	members := make([]proposals.Proposal, len(set.Members))
	for i, d := range set.Members {
		members[i], d.Members = d.Proposal, nil // they are the proposals of the document
		doc.Proposals = append(doc.Proposals, newDocWholeDetail(d))
	}
	err = a.print(doc, func(p *page) {
		writeMembers(p, name, members)
		for _, d := range set.Members {
			p.blank()
			writeHead(p, d)
			writeBody(p, d)
		}
		writeSetEnd(p, set)
	})
	if err != nil {
		return err
	}
	b.shown(ctx, a, set.Members...)
	return nil
}

func writeSetEnd(p *page, set review.ChangeSet) {
	p.blank()
	if set.Digest != "" {
		p.linef("review digest of the set %s", set.Digest)
	}
	if len(set.Members) > 0 {
		p.linef("policy %s", set.Members[0].Policy.Deciding())
	}
	obstacles := 0
	for _, d := range set.Members {
		for _, o := range d.Obstacles {
			obstacles++
			p.linef("%s cannot be approved: %s", d.Proposal.Handle(), o)
		}
	}
	if obstacles == 0 && set.Digest != "" {
		p.linef("Approve it with: toolcrib --approve 'set:%s' --expect %s", set.Name, set.Digest)
	}
}

// shown records what was just printed for the actor. A read-only database records
// nothing; any other failure is reported, because the next approval would refer to
// what was shown before.
func (b session) shown(ctx context.Context, a *app, ds ...review.Dossier) {
	if err := b.desk.Shown(ctx, b.actor, ds...); err != nil && !errors.Is(err, review.ErrReadOnly) {
		a.note("toolcrib: %s", stop("what you were shown is not remembered: "+err.Error()))
	}
}

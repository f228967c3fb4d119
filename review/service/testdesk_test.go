package service_test

import (
	"errors"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// The actors in the tests of the desk.
var (
	ada   = proposals.Actor{Kind: proposals.User, Name: "ada"}
	bob   = proposals.Actor{Kind: proposals.User, Name: "bob"}
	scout = proposals.Actor{Kind: proposals.Agent, Name: "scout"}
	rover = proposals.Actor{Kind: proposals.Agent, Name: "rover"}
	carla = proposals.Actor{Kind: proposals.Chief, Name: "carla"}
)

// testDesk is a desk with its own database. Its methods end the test if they fail. For calls that are expected to fail,
// tests use the desk directly.
type testDesk struct {
	*storetest.Database
	*testing.T
	desk *service.Desk
}

// open returns a desk in which the rules about the template, names, and the lock are active.
func open(t *testing.T, policy review.Policy) testDesk {
	t.Helper()
	if policy.Severities == nil {
		policy.Severities = storetest.BasicSeverities()
	}
	db := storetest.New(t)
	return testDesk{Database: db, T: t, desk: db.Desk(t, policy)}
}

func (o testDesk) propose(by proposals.Actor, d proposals.Draft) proposals.Proposal {
	o.Helper()
	return o.proposeAll(by, d)[0]
}

func (o testDesk) proposeAll(by proposals.Actor, drafts ...proposals.Draft) []proposals.Proposal {
	o.Helper()
	made, err := o.desk.Drafting.Propose(o.Context(), by, drafts, true)
	if err != nil {
		o.Fatal(err)
	}
	return made
}

func (o testDesk) draft(by proposals.Actor, d proposals.Draft) proposals.Proposal {
	o.Helper()
	made, err := o.desk.Drafting.Propose(o.Context(), by, []proposals.Draft{d}, false)
	if err != nil {
		o.Fatal(err)
	}
	return made[0]
}

func (o testDesk) revise(by proposals.Actor, p proposals.Proposal, d proposals.Draft) proposals.Proposal {
	o.Helper()
	revised, err := o.desk.Drafting.Revise(o.Context(), by, p.ID, d)
	if err != nil {
		o.Fatal(err)
	}
	return revised
}

func (o testDesk) approve(by proposals.Actor, ps ...proposals.Proposal) []proposals.Decision {
	o.Helper()
	decisions, err := o.desk.Deciding.Approve(o.Context(), by, choices(ps...), "")
	if err != nil {
		o.Fatal(err)
	}
	return decisions
}

func (o testDesk) reject(by proposals.Actor, p proposals.Proposal, reason string) {
	o.Helper()
	if _, err := o.desk.Deciding.Decide(o.Context(), by, choices(p), proposals.VerdictRejected, reason); err != nil {
		o.Fatal(err)
	}
}

// live proposes and approves a draft.
func (o testDesk) live(d proposals.Draft) proposals.Decision {
	o.Helper()
	return o.Approved(o.T, o.desk, ada, d)[0]
}

func (o testDesk) show(by proposals.Actor, p proposals.Proposal) review.Dossier {
	o.Helper()
	d, err := o.desk.Reading.Show(o.Context(), by, p.ID)
	if err != nil {
		o.Fatal(err)
	}
	return d
}

// inForce returns the live version of a subject.
func (o testDesk) inForce(s registry.Subject) registry.Live {
	o.Helper()
	var l registry.Live
	err := o.View(o.Context(), func(r review.Reader) error {
		var err error
		l, err = r.Live(o.Context(), s)
		return err
	})
	if err != nil {
		o.Fatal(err)
	}
	return l
}

// refused checks that act fails with the error want and does not change anything.
func (o testDesk) refused(want error, act func() error) error {
	o.Helper()
	var err error
	o.Unchanged(o.T, func() { err = act() })
	if !errors.Is(err, want) {
		o.Errorf("got error %v; want %v", err, want)
	}
	return err
}

func choices(ps ...proposals.Proposal) []review.Choice {
	cs := make([]review.Choice, len(ps))
	for i, p := range ps {
		cs[i] = review.Choice{ID: p.ID, Unseen: p.Type == proposals.New}
	}
	return cs
}

// seen returns the choice of a shown proposal.
func (o *testDesk) seen(p proposals.Proposal) review.Choice {
	o.Helper()
	d, err := o.desk.Reading.Show(o.Context(), ada, p.ID)
	if err != nil {
		o.Fatal(err)
	}
	return review.Choice{ID: p.ID, Expect: d.Digest}
}

// handles returns the state of each current finding by its handle: "open", "waived", or "carried".
func handles(d review.Dossier) map[string]string {
	found := map[string]string{}
	for _, s := range d.Standing {
		how := "waived"
		switch {
		case s.Carried:
			how = "carried"
		case s.Open():
			how = "open"
		}
		found[review.Handle(s.Finding)] = how
	}
	return found
}

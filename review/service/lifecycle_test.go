package service_test

import (
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestDeactivateReactivateRestore applies every type of change to a tool and an agent. For all types but the first two,
// the definition follows from the type.
func TestDeactivateReactivateRestore(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	second := storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\nMore." })
	s := first.Subject
	for i, step := range []struct {
		draft  proposals.Draft
		status registry.Status
		hash   string
	}{
		{first, registry.Active, first.Definition.Hash()},
		{second, registry.Active, second.Definition.Hash()},
		{storetest.StatusChange(proposals.Deactivate, s, 2, 0), registry.Deactivated, second.Definition.WithStatus(registry.Deactivated).Hash()},
		{storetest.StatusChange(proposals.Reactivate, s, 3, 0), registry.Active, second.Definition.Hash()},
		{storetest.StatusChange(proposals.Restore, s, 4, 1), registry.Active, first.Definition.Hash()},
		{storetest.StatusChange(proposals.Restore, s, 5, 3), registry.Deactivated, second.Definition.WithStatus(registry.Deactivated).Hash()},
	} {
		if d := o.live(step.draft); d.Version != i+1 {
			t.Errorf("step %d made version %d", i, d.Version)
		}
		l := o.inForce(s)
		if l.Version != i+1 || l.ContentHash != step.hash || l.Definition.Status() != step.status || l.Definition.Hash() != step.hash {
			t.Errorf("after step %d version %d is %s with %s; want %s with %s", i, l.Version, l.Definition.Status(), l.ContentHash, step.status, step.hash)
		}
	}
	agent := storetest.Agent("night_reader")
	o.live(agent)
	o.live(storetest.StatusChange(proposals.Deactivate, agent.Subject, 1, 0))
	if got := o.inForce(agent.Subject).Definition.Status(); got != registry.Deactivated {
		t.Errorf("the agent is %s", got)
	}
	o.sound()
}

// TestSubmitRefusesContradictions submits changes that contradict the live versions.
func TestSubmitRefusesContradictions(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	o.live(first)
	s := first.Subject
	nothing := s
	nothing.ID = "nothing"
	base := 1
	changed := func(change func(*proposals.Draft)) proposals.Draft {
		d := storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\nMore." })
		change(&d)
		return d
	}
	for name, d := range map[string]proposals.Draft{
		"new, and there":            first,
		"new, and deactivated":      {Type: proposals.New, Subject: nothing, BaseVersion: new(int), Definition: storetest.Prompt("nothing").Definition.WithStatus(registry.Deactivated)},
		"modify nothing":            storetest.Modify(storetest.Prompt("nothing"), 1, func(*registry.Tool) {}),
		"modify without a change":   storetest.Modify(first, 1, func(*registry.Tool) {}),
		"modify the status":         changed(func(d *proposals.Draft) { d.Definition = d.Definition.WithStatus(registry.Deactivated) }),
		"modify what is to come":    changed(func(d *proposals.Draft) { base := 2; d.BaseVersion = &base }),
		"deactivate nothing":        storetest.StatusChange(proposals.Deactivate, nothing, 1, 0),
		"reactivate what is active": storetest.StatusChange(proposals.Reactivate, s, 1, 0),
		"restore what is live":      storetest.StatusChange(proposals.Restore, s, 1, 1),
		"restore what never was":    storetest.StatusChange(proposals.Restore, s, 1, 7),
		"restore version 0":         storetest.StatusChange(proposals.Restore, s, 1, 0),
		"deactivate and change": changed(func(d *proposals.Draft) {
			d.Type, d.BaseVersion, d.Definition = proposals.Deactivate, &base, d.Definition.WithStatus(registry.Deactivated)
		}),
		"the kind of another": changed(func(d *proposals.Draft) { d.Definition = storetest.Agent("scene_pacer").Definition }),
		"the id of another":   changed(func(d *proposals.Draft) { d.Definition = storetest.Prompt("other").Definition }),
	} {
		t.Run(name, func(t *testing.T) {
			testDesk{Database: o.Database, T: t, desk: o.desk}.refused(review.ErrIncomplete, func() error {
				_, err := o.desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{d}, true)
				return err
			})
		})
	}
}

// TestRollback drafts a restore with the examples of the restored version, and has it reviewed.
func TestRollback(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	o.live(first)
	second := storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += "\nMore." })
	second.Examples = []string{"Another.", "And another."}
	o.live(second)
	for version, want := range map[int]error{2: proposals.ErrUnchanged, 3: proposals.ErrUnchanged, 0: proposals.ErrNotFound, -1: proposals.ErrNotFound} {
		o.refused(want, func() error {
			_, err := o.desk.Drafting.Rollback(t.Context(), ada, first.Subject, version, "")
			return err
		})
	}
	p, err := o.desk.Drafting.Rollback(t.Context(), scout, first.Subject, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	if d := o.show(ada, p); p.State != proposals.Drafted || d.Revision.Draft.Examples[0] != first.Examples[0] || d.Revision.Draft.Rationale == "" {
		t.Errorf("the draft is %+v", d.Revision.Draft)
	}
	if p, err = o.desk.Drafting.Submit(t.Context(), scout, p.ID); err != nil {
		t.Fatal(err)
	}
	if got := o.approve(ada, p)[0]; got.Version != 3 || o.inForce(first.Subject).ContentHash != first.Definition.Hash() {
		t.Errorf("the decision is %+v", got)
	}
	third := storetest.Modify(first, 3, func(t *registry.Tool) { t.Prompt += "\nMore." })
	o.live(third)
	o.refused(proposals.ErrUnchanged, func() error {
		_, err := o.desk.Drafting.Rollback(t.Context(), ada, first.Subject, 2, "") // the same content with another number
		return err
	})
	o.refused(proposals.ErrNotFound, func() error {
		_, err := o.desk.Drafting.Rollback(t.Context(), ada, storetest.Prompt("nothing").Subject, 1, "")
		return err
	})
}

// TestShippedToolsChange changes a shipped tool that is not core, and restores the shipped version.
func TestShippedToolsChange(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	s := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: "get_tasks"}
	shippedHash := o.inForce(s).ContentHash
	d := storetest.Action("get_tasks")
	d.Subject, d.Definition = s, o.inForce(s).Definition
	d = storetest.Modify(d, 1, func(t *registry.Tool) { t.Description += " More." })
	o.live(d)
	p, err := o.desk.Drafting.Rollback(t.Context(), ada, s, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	o.refused(review.ErrIncomplete, func() error { _, err := o.desk.Drafting.Submit(t.Context(), ada, p.ID); return err })
	o.revise(ada, p, storetest.StatusChange(proposals.Restore, s, 2, 1))
	if p, err = o.desk.Drafting.Submit(t.Context(), ada, p.ID); err != nil {
		t.Fatal(err)
	}
	o.approve(ada, p)
	if got := o.inForce(s).ContentHash; got != shippedHash {
		t.Errorf("live is %s; want %s as shipped", got, shippedHash)
	}
	o.sound()
}

// TestFork drafts a fork of every core tool in every layer. It must use the next free id if a draft or a live tool has
// the first one.
func TestFork(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	for id := range shipped.CoreHashes() {
		for _, layer := range layers() {
			p, err := o.desk.Drafting.Fork(t.Context(), ada, id, layer)
			if err != nil {
				t.Fatal(err)
			}
			d := o.show(ada, p).Revision.Draft
			if p.State != proposals.Drafted || d.Subject.ID != id+"_custom" || d.Subject.Layer != layer || d.Definition.Tool.ID != d.Subject.ID || d.Type != proposals.New {
				t.Errorf("%s in %s is forked as %+v", id, layer, d)
			}
		}
	}
	p, err := o.desk.Drafting.Fork(t.Context(), ada, "file_reader", registry.LayerUser)
	if err != nil || p.Subject.ID != "file_reader_custom_2" {
		t.Fatalf("the second fork is %s, %v", p.Subject, err)
	}
	complete := storetest.Prompt("file_reader_custom_2")
	complete.Definition = o.show(ada, p).Revision.Draft.Definition
	o.revise(ada, p, complete)
	if p, err = o.desk.Drafting.Submit(t.Context(), ada, p.ID); err != nil {
		t.Fatal(err)
	}
	o.approve(ada, p)
	if p, err = o.desk.Drafting.Fork(t.Context(), scout, "file_reader", registry.LayerUser); err != nil || p.Subject.ID != "file_reader_custom_3" {
		t.Errorf("the third fork is %s, %v", p.Subject, err)
	}
	o.refused(proposals.ErrConflict, func() error {
		_, err := o.desk.Drafting.Fork(t.Context(), ada, "get_tasks", registry.LayerUser)
		return err
	})
	o.refused(proposals.ErrNotFound, func() error {
		_, err := o.desk.Drafting.Fork(t.Context(), ada, "nothing", registry.LayerUser)
		return err
	})
	o.sound()
}

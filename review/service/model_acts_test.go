package service_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/signing/signingtest"
	"toolcrib/store/storetest"
)

// newLine returns a unique line.
func (m *modelTest) newLine() string {
	m.texts++
	return fmt.Sprintf("Look at point %d.", m.texts)
}

// draft converts an entry to a draft.
func (m *modelTest) draft(e entry) proposals.Draft {
	m.texts++
	if e.kind != proposals.New && e.kind != proposals.Modify {
		d := storetest.StatusChange(e.kind, tool(e.tool), e.base, e.restore)
		d.Rationale += fmt.Sprint(" Text ", m.texts)
		d.ChangeSet = e.set
		return d
	}
	d := storetest.Prompt(tool(e.tool).ID)
	d.Type, d.BaseVersion, d.ChangeSet = e.kind, &e.base, e.set
	d.Rationale += fmt.Sprint(" Text ", m.texts)
	t := d.Definition.Tool
	t.Prompt = "Read the scene.\n" + e.is.lines[0] + "\nKeep the order.\n" + e.is.lines[1] + "\nName what drags.\n" + e.is.lines[2] + "\nSay " + t.ID + " at the end."
	if e.is.alias != "" {
		t.Aliases = []string{e.is.alias}
	}
	if e.is.off {
		t.Status = registry.Deactivated
	}
	return d
}

// read is the inverse of draft.
func read(d registry.Definition) (is content) {
	if d.Tool == nil {
		return is
	}
	lines := strings.Split(d.Tool.Prompt, "\n")
	for i := range is.lines {
		is.lines[i] = lines[min(1+2*i, len(lines)-1)]
	}
	is.alias = strings.Join(d.Tool.Aliases, ",")
	is.off = d.Status() == registry.Deactivated
	return is
}

// edited returns a modified content.
func (m *modelTest) edited(tool int, is content, how int) content {
	if how%5 == 0 {
		is.alias = retired[tool][how/5%2]
		return is
	}
	if how%5 == 1 && is.alias != "" {
		is.alias = ""
		return is
	}
	is.lines[how%3] = m.newLine()
	return is
}

// entryFor chooses a valid proposal for a tool in its current state.
func (m *modelTest) entryFor(tool, how int) entry {
	n := m.live(tool)
	e := entry{kind: proposals.New, tool: tool}
	for i := range e.is.lines {
		e.is.lines[i] = "Read line " + strconv.Itoa(i) + "."
	}
	if n == 0 || how%23 == 0 {
		e.is = m.edited(tool, e.is, how/23)
		return e
	}
	e.base = n
	if how%11 == 0 && n > 1 {
		e.base--
	}
	e.is = m.versions[tool][e.base-1].content
	switch how % 7 {
	case 0, 1:
		e.kind = proposals.Deactivate
		if e.is.off != (how%13 == 0) {
			e.kind = proposals.Reactivate
		}
		e.is.off = e.kind == proposals.Deactivate
	case 2:
		e.kind, e.restore = proposals.Restore, 1+how/7%n
		e.is = m.versions[tool][e.restore-1].content
	default:
		e.kind, e.is = proposals.Modify, m.edited(tool, e.is, how/7)
	}
	return e
}

// act returns the result that the model expects for a step, and a function that performs the step on the desk. Both are
// nil if the step has no target. The model is updated unless the act is rejected.
func (m *modelTest) act(s step) (refusals, func() error) {
	who := actors[s.who]
	switch s.what {
	case "propose":
		return m.doPropose(who, []entry{m.entryFor(s.p%len(retired), s.how)}, s.q%4 > 0)
	case "set":
		var all []entry
		for i := range 2 {
			e := m.entryFor((s.p+i)%len(retired), s.how+i)
			e.set = fmt.Sprintf("set%d", s.q%4)
			all = append(all, e)
		}
		return m.doPropose(who, all, true)
	case "forward":
		d := 1 + s.how%20
		m.minute += d
		return nil, func() error { m.db.Clock.Forward(time.Duration(d) * time.Minute); return nil }
	case "key":
		return m.doKey(s)
	case "rollback":
		return m.doRollback(who, s)
	}
	if len(m.entries) == 0 {
		return nil, nil
	}
	at := len(m.entries) - 1 - s.p%min(len(m.entries), 8)
	if s.how%3 > 0 {
		who, at = m.possible(s, at)
	}
	return m.actOf(s, who, at)
}

// possible returns an actor and an entry that make an act possible, because most random acts would be rejected. If
// there are none, it returns those of the step.
func (m *modelTest) possible(s step, at int) (who proposals.Actor, entry int) {
	for i := range m.entries {
		entry := (at + i) % len(m.entries)
		for k := range actors {
			who := actors[(s.who+k)%len(actors)]
			trial := *m
			trial.table = m.clone()
			if want, act := trial.actOf(s, who, entry); act != nil && len(want) == 0 {
				return who, entry
			}
		}
	}
	return actors[s.who], at
}

// actOf is like act, for acts on an entry.
func (m *modelTest) actOf(s step, who proposals.Actor, at int) (refusals, func() error) {
	if s.what == "approve" || s.what == "whole" || s.what == "pair" {
		return m.doApprove(who, m.chosen(s, at), s.how, review.Choice{})
	}
	if s.what == "expect" {
		return m.doExpect(who, at, s.how)
	}
	if act := m.actOn(s, who, at); act != nil {
		return act()
	}
	return m.write(s, who, at)
}

// chosen returns the entries of an approval.
func (m *modelTest) chosen(s step, at int) []int {
	switch {
	case s.what == "whole" && m.entries[at].set != "":
		var open []int
		for _, i := range m.members(m.entries[at].set) {
			if m.entries[i].state != proposals.Approved {
				open = append(open, i)
			}
		}
		if len(open) > 0 {
			return open
		}
	case s.what == "pair":
		if other := s.q % len(m.entries); other != at {
			return []int{at, other}
		}
	}
	return []int{at}
}

// write returns the acts of authors on an entry.
func (m *modelTest) write(s step, who proposals.Actor, at int) (refusals, func() error) {
	e, id, ctx := &m.entries[at], m.ids[at], m.Context()
	switch s.what {
	case "submit":
		return m.submit(who.String(), at), func() error { _, err := m.desk.Drafting.Submit(ctx, who, id); return err }
	case "revise":
		next := *e
		if s.how%6 == 0 && m.live(e.tool) > 0 {
			next.kind, next.base = proposals.Modify, m.live(e.tool)
			next.is = m.versions[e.tool][next.base-1].content
		}
		if next.kind == proposals.New || next.kind == proposals.Modify {
			next.is = m.edited(e.tool, next.is, s.q)
		}
		d := m.draft(next)
		return m.revise(who.String(), who.String(), at, next), func() error { _, err := m.desk.Drafting.Revise(ctx, who, id, d); return err }
	case "again":
		r := m.own(who.String(), e)
		if len(r) == 0 {
			r = refusals{"unchanged"}
		}
		return r, func() error {
			d, err := m.desk.Reading.Show(ctx, ada, id)
			if err == nil {
				_, err = m.desk.Drafting.Revise(ctx, who, id, d.Revision.Draft)
			}
			return err
		}
	case "withdraw":
		r := m.own(who.String(), e)
		e.state = proposals.Withdrawn
		return r, func() error { _, err := m.desk.Drafting.Withdraw(ctx, who, id, ""); return err }
	case "rebase":
		return m.rebase(who.String(), at), func() error { _, err := m.desk.Drafting.Rebase(ctx, who, id); return err }
	case "regroup":
		r := m.own(who.String(), e)
		r.add("state", e.state == proposals.NeedsChanges)
		r.add("unchanged", e.set == "")
		if len(r) == 0 {
			next := *e
			next.set = ""
			r = m.revise(who.String(), e.writer, at, next)
		}
		return r, func() error { _, err := m.desk.Drafting.Regroup(ctx, who, []proposals.ID{id}, ""); return err }
	}
	m.Fatalf("there is no act %q", s.what)
	return nil, nil
}

// actOn returns the acts of deciders and reviewers on an entry, or nil for those of authors.
func (m *modelTest) actOn(s step, who proposals.Actor, at int) func() (refusals, func() error) {
	e, id, ctx := &m.entries[at], m.ids[at], m.Context()
	switch s.what {
	case "back", "reject":
		return func() (refusals, func() error) {
			verdict := proposals.VerdictNeedsChanges
			r := m.mayRefuse(who.String(), e)
			if e.state = proposals.NeedsChanges; s.what == "reject" {
				verdict, e.state = proposals.VerdictRejected, proposals.Rejected
				m.rejected[m.rejectedKey(e.tool, e.is)] = true
			}
			choices := []review.Choice{{ID: id}}
			return m.sign(who, r, s.how, func() ([]byte, error) { return m.desk.Deciding.Prepare(ctx, who, choices, verdict, "Not so.") },
				func(d *service.Desk) error {
					_, err := d.Deciding.Decide(ctx, who, choices, verdict, "Not so.")
					return err
				})
		}
	case "waive", "unwaive":
		return func() (refusals, func() error) { return m.doWaive(s, who, at) }
	case "assess":
		return func() (refusals, func() error) {
			var r refusals
			r.add("authority", who != carla)
			r.add("state", e.state != proposals.ChiefReview && e.state != proposals.UserReview)
			e.state = proposals.UserReview
			m.assess(e)
			return r, func() error { _, err := m.desk.Assessing.Assess(ctx, who, id, review.Opinion{}); return err }
		}
	case "show":
		return func() (refusals, func() error) {
			return nil, func() error {
				d, err := m.desk.Reading.Show(ctx, ada, id)
				e := &m.entries[at]
				if e.shown, e.shownAs = "", ""; e.state == proposals.UserReview {
					e.shown, e.shownAs = d.Digest, m.covered(e)
				}
				return err
			}
		}
	}
	return nil
}

func (m *modelTest) doPropose(who proposals.Actor, all []entry, submit bool) (refusals, func() error) {
	var r refusals
	var drafts []proposals.Draft
	var at []int
	for _, e := range all {
		drafts = append(drafts, m.draft(e))
		i, refused := m.propose(who.String(), e, submit)
		at, r = append(at, i), append(r, refused...)
	}
	return r, func() error {
		made, err := m.desk.Drafting.Propose(m.Context(), who, drafts, submit)
		for i, p := range made {
			if at[i] == len(m.ids) {
				m.ids = append(m.ids, p.ID)
			}
		}
		return err
	}
}

func (m *modelTest) doRollback(who proposals.Actor, s step) (refusals, func() error) {
	at := s.p % len(retired)
	n, to := m.live(at), 1+s.q%3
	act := func() error {
		p, err := m.desk.Drafting.Rollback(m.Context(), who, tool(at), to, fmt.Sprint("Back, text ", m.texts))
		if err == nil && len(m.ids) < len(m.entries) {
			m.ids = append(m.ids, p.ID)
		}
		return err
	}
	m.texts++
	switch {
	case n == 0:
		return refusals{"not found"}, act
	case to >= n || m.versions[at][to-1].content == m.versions[at][n-1].content:
		return refusals{"unchanged"}, act
	}
	_, r := m.propose(who.String(), entry{kind: proposals.Restore, tool: at, base: n, restore: to, is: m.versions[at][to-1].content}, false)
	return r, act
}

func (m *modelTest) doExpect(who proposals.Actor, at, how int) (refusals, func() error) {
	e := &m.entries[at]
	if e.shown == "" {
		return nil, nil
	}
	return m.doApprove(who, []int{at}, how, review.Choice{Expect: e.shown})
}

func (m *modelTest) doApprove(who proposals.Actor, chosen []int, how int, like review.Choice) (refusals, func() error) {
	r := m.mayApprove(who.String(), chosen)
	var choices []review.Choice
	for _, i := range chosen {
		e := &m.entries[i]
		r.add("digest", like.Expect != "" && e.shownAs != m.covered(e))
		choices = append(choices, review.Choice{ID: m.ids[i], Expect: like.Expect, Unseen: true})
	}
	if len(r) == 0 {
		m.approve(who.String(), chosen)
	}
	ctx := m.Context()
	return m.sign(who, r, how, func() ([]byte, error) {
		return m.desk.Deciding.Prepare(ctx, who, choices, proposals.VerdictApproved, "")
	},
		func(d *service.Desk) error { _, err := d.Deciding.Approve(ctx, who, choices, ""); return err })
}

func (m *modelTest) doWaive(s step, who proposals.Actor, at int) (refusals, func() error) {
	e, id, ctx := &m.entries[at], m.ids[at], m.Context()
	end := s.what == "unwaive"
	r := m.mayWaive(who.String(), e, end)
	w := waiver{alias: e.is.alias, end: end, key: m.keys[who.String()]}
	var until *time.Time
	if s.q%3 > 0 && !end {
		w.until = m.minute + 1 + s.q%30
		at := storetest.NewClock().Now().Add(time.Duration(w.until)*time.Minute - 30*time.Second)
		until = &at
	}
	e.waivers = append(e.waivers, w)
	if end {
		return m.sign(who, r, s.how, func() ([]byte, error) { return m.desk.Deciding.PrepareUnwaive(ctx, who, id, "N103", "No more.") },
			func(d *service.Desk) error {
				_, err := d.Deciding.Unwaive(ctx, who, id, "N103", "No more.")
				return err
			})
	}
	r, act := m.sign(who, r, s.how, func() ([]byte, error) { return m.desk.Deciding.PrepareWaiver(ctx, who, id, "N103", "Meant so.", until) },
		func(d *service.Desk) error {
			_, err := d.Deciding.Waive(ctx, who, id, "N103", "Meant so.", until)
			return err
		})
	r.add("not waivable", len(r) > 0 && w.until > 0 && w.until <= m.minute) // the signature came too late
	return r, act
}

// sign signs an act if decisions are signed: with the user's own key, not at all, or incorrectly.
func (m *modelTest) sign(who proposals.Actor, r refusals, how int, prepare func() ([]byte, error), act func(*service.Desk) error) (refusals, func() error) {
	if !m.signing {
		return r, func() error { return act(m.desk) }
	}
	key, known := m.signed.Keys[who]
	other := m.signed.Keys[actors[(slices.Index(actors, who)+1)%4]]
	late := false
	switch how % 12 {
	case 0:
		r.add("unsigned", true)
		return r, func() error { return act(m.desk) }
	case 1:
		key, known = other, true
		r.add("signature", true)
	case 2:
		if old, ok := m.old[who.String()]; ok {
			key = old
			r.add("signature", true)
		}
	case 3:
		if late = len(r) == 0; late {
			m.minute += 16
			r.add("conflict", true)
		}
	}
	return r, func() error {
		statement, err := prepare()
		if late { // also if it fails, which it must not
			m.db.Clock.Forward(16 * time.Minute)
		}
		if err != nil || !known {
			return err
		}
		return act(m.desk.Signed(storetest.SignWith(m.T, key, statement)))
	}
}

// doKey revokes the key of a user, who receives a new one. Another user signs the new state of the signers.
func (m *modelTest) doKey(s step) (refusals, func() error) {
	if !m.signing || s.q%3 > 0 {
		return nil, nil
	}
	user, by := actors[s.p%4], actors[(s.p+1)%4]
	m.revoked[m.keys[user.String()]] = true
	m.keys[user.String()] = 100 + len(m.revoked)
	return nil, func() error {
		m.old[user.String()] = m.signed.Keys[user]
		m.signed.Keys[user] = signingtest.NewKey(m.T, "ed25519")
		var lines []string
		for _, who := range actors[:4] {
			lines = append(lines, m.signed.Line(who))
		}
		m.signed.SetSigners(m.T, lines...)
		m.signed.Change(m.T, m.desk, by)
		return nil
	}
}

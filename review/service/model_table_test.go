package service_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/proposals"
)

// This file contains the model with which random acts are compared (model_test.go). It is written from the
// specification (3.3 to 3.6, 4.3, 5.1, 11.4, 12.2) and shares no code with the desk. It represents contents as four
// words and a flag, and times as minutes.

// content contains the parts of a tool that acts change.
type content struct {
	lines [3]string
	alias string // a retired name, which a rule blocks
	off   bool
}

// entry is a proposal.
type entry struct {
	kind           proposals.Type
	tool           int
	state          proposals.State
	author, writer string // author of the proposal, and of its last revision
	revision       int
	base, restore  int
	is             content
	set            string
	assessment     int  // number of assessments
	carried        bool // its alias was in the live version when it was assessed
	waivers        []waiver
	approvals      []modelApproval
	shown, shownAs string // the digest that was shown, and the content then
}

// waiver is a waiver of the block on an alias, or its end.
type waiver struct {
	alias string
	end   bool
	until int // minute of expiry; 0 if it does not expire
	key   int // the key that signed it
}

// modelApproval is one of several approvals.
type modelApproval struct {
	by                   string
	revision, assessment int
	members              string
	key                  int
}

// version is a version.
type version struct {
	content
	keys []int
}

// table is the state of the model.
type table struct {
	fourEyes, manual, signing bool
	owners                    map[int][]string // by tool; two of them must approve
	minute                    int
	entries                   []entry
	versions                  map[int][]version
	rejected                  map[string]bool
	keys                      map[string]int
	revoked                   map[int]bool
}

func (m *table) clone() *table {
	c := *m
	c.entries = slices.Clone(m.entries)
	for i := range c.entries {
		c.entries[i].waivers, c.entries[i].approvals = slices.Clone(c.entries[i].waivers), slices.Clone(c.entries[i].approvals)
	}
	c.versions = map[int][]version{}
	for tool, vs := range m.versions {
		c.versions[tool] = slices.Clone(vs)
	}
	c.rejected, c.keys, c.revoked = maps.Clone(m.rejected), maps.Clone(m.keys), maps.Clone(m.revoked)
	return &c
}

// refusals are possible reasons for rejecting an act. The desk may report any of them.
type refusals []string

func (r *refusals) add(reason string, holds bool) {
	if holds {
		*r = append(*r, reason)
	}
}

func isUser(who string) bool  { return strings.HasPrefix(who, "user:") }
func isAgent(who string) bool { return strings.HasPrefix(who, "agent:") }

func isOpen(s proposals.State) bool {
	return s == proposals.Drafted || s == proposals.ChiefReview || s == proposals.UserReview || s == proposals.NeedsChanges
}

// own returns the reasons for rejecting an act that users may do to every open proposal, and others only to their own.
func (m *table) own(who string, e *entry) (r refusals) {
	r.add("authority", !isUser(who) && who != e.author)
	r.add("state", !isOpen(e.state))
	return r
}

func (m *table) live(tool int) int { return len(m.versions[tool]) }

// refused reports whether the live version of a tool is invalid because a key that approved it was revoked.
func (m *table) refused(tool int) bool {
	n := m.live(tool)
	return n > 0 && slices.ContainsFunc(m.versions[tool][n-1].keys, func(k int) bool { return m.revoked[k] })
}

func (m *table) rejectedKey(tool int, is content) string { return fmt.Sprint(tool, is) }

// gate returns the reasons for rejecting a submission.
func (m *table) gate(who string, e *entry) (r refusals) {
	n := m.live(e.tool)
	if e.kind == proposals.New {
		r.add("incomplete", n > 0)
	} else {
		base := m.versions[e.tool][e.base-1].content
		again := e.base == n && m.refused(e.tool)
		r.add("incomplete", e.is == base && !again)
		if e.kind == proposals.Modify {
			r.add("incomplete", e.is.off != base.off)
		}
		r.add("incomplete", e.kind == proposals.Restore && e.restore >= e.base)
	}
	r.add("repeated", isAgent(who) && m.rejected[m.rejectedKey(e.tool, e.is)])
	return r
}

// members returns the entries of a change set that were not withdrawn.
func (m *table) members(set string) (found []int) {
	for i, e := range m.entries {
		if set != "" && e.set == set && e.state != proposals.Withdrawn {
			found = append(found, i)
		}
	}
	return found
}

// seal formats the members of a change set with their revisions.
func (m *table) seal(set string) string {
	var b strings.Builder
	for _, i := range m.members(set) {
		fmt.Fprint(&b, i, " ", m.entries[i].revision, "; ")
	}
	return b.String()
}

// joins returns the reasons why who may not join a change set: only users may join a set with members of others.
func (m *table) joins(who, set string) (r refusals) {
	for _, i := range m.members(set) {
		r.add("authority", !isUser(who) && m.entries[i].author != who)
	}
	return r
}

// receive passes a submission to the chief.
func (m *table) receive(e *entry) {
	e.state = proposals.ChiefReview
	if !m.manual {
		e.state = proposals.UserReview
		m.assess(e)
	}
}

// revise replaces an entry with its next revision.
func (m *table) revise(who, writer string, i int, next entry) refusals {
	e := &m.entries[i]
	r := m.own(who, e)
	if len(r) > 0 {
		return r
	}
	if next.set != e.set {
		r = append(r, m.joins(who, next.set)...)
	}
	if e.state != proposals.Drafted {
		r = append(r, m.gate(who, &next)...)
	}
	if len(r) > 0 {
		return r
	}
	e.kind, e.base, e.restore, e.is, e.set, e.writer = next.kind, next.base, next.restore, next.is, next.set, writer
	e.revision++
	if e.state != proposals.Drafted {
		m.receive(e)
	}
	return nil
}

// maxOpen is the maximum number of open proposals per agent.
const maxOpen = 3

// propose adds an entry, or a revision of the agent's open one on the same tool.
func (m *table) propose(who string, next entry, submit bool) (at int, r refusals) {
	if r = m.joins(who, next.set); len(r) > 0 {
		return 0, r
	}
	open := 0
	at = -1
	for i, e := range m.entries {
		if !isAgent(who) || e.author != who || !isOpen(e.state) {
			continue
		}
		open++
		if e.tool == next.tool {
			at = i
		}
	}
	if at < 0 && isAgent(who) && open >= maxOpen {
		return 0, refusals{"limit"}
	}
	if at >= 0 {
		if r = m.revise(who, who, at, next); len(r) > 0 {
			return 0, r
		}
	} else {
		next.state, next.author, next.writer, next.revision = proposals.Drafted, who, who, 1
		m.entries = append(m.entries, next)
		at = len(m.entries) - 1
	}
	if submit && m.entries[at].state == proposals.Drafted {
		r = m.submit(who, at)
	}
	return at, r
}

func (m *table) submit(who string, i int) refusals {
	e := &m.entries[i]
	r := m.own(who, e)
	r.add("state", e.state != proposals.Drafted)
	if len(r) == 0 {
		r = m.gate(who, e)
	}
	if len(r) == 0 {
		m.receive(e)
	}
	return r
}

// waiver returns the index of the waiver that covers the alias of an entry, or -1.
func (m *table) waiver(e *entry) int {
	for i, w := range slices.Backward(e.waivers) {
		if w.alias != e.is.alias || m.revoked[w.key] {
			continue
		}
		if w.end {
			return -1
		}
		if w.until == 0 || m.minute < w.until {
			return i
		}
	}
	return -1
}

// assess counts an assessment of an entry. An alias of a valid live version is not new.
func (m *table) assess(e *entry) {
	e.assessment++
	n := m.live(e.tool)
	e.carried = n > 0 && !m.refused(e.tool) && m.versions[e.tool][n-1].alias == e.is.alias
}

func (m *table) blocked(e *entry) bool {
	return e.is.alias != "" && !e.carried && m.waiver(e) < 0
}

// given returns the approvals of an entry that are currently valid.
func (m *table) given(e *entry) (found []modelApproval) {
	for _, y := range e.approvals {
		counts := y.revision == e.revision && y.assessment == e.assessment && y.members == m.seal(e.set) && !m.revoked[y.key]
		if counts && !slices.ContainsFunc(found, func(o modelApproval) bool { return o.by == y.by }) {
			found = append(found, y)
		}
	}
	return found
}

// toolsOf returns the tools of an entry and its change set.
func (m *table) toolsOf(e *entry) []int {
	tools := []int{e.tool}
	for _, i := range m.members(e.set) {
		tools = append(tools, m.entries[i].tool)
	}
	return tools
}

// shared reports whether an entry may need several approvals.
func (m *table) shared(e *entry) bool {
	return slices.ContainsFunc(m.toolsOf(e), func(tool int) bool { return len(m.owners[tool]) > 0 })
}

// owned returns the reasons for rejecting an approval by a user who is not a required owner.
func (m *table) owned(who string, e *entry) (r refusals) {
	if !m.shared(e) {
		return nil
	}
	r.add("conflict", slices.ContainsFunc(m.given(e), func(y modelApproval) bool { return y.by == who }))
	helps := slices.ContainsFunc(m.toolsOf(e), func(tool int) bool {
		return len(m.owners[tool]) == 0 || slices.Contains(m.owners[tool], who)
	})
	r.add("authority", !helps)
	return r
}

// enough reports whether an entry has all required approvals if who also approves it.
func (m *table) enough(who string, e *entry) bool {
	owners := m.owners[e.tool]
	if len(owners) == 0 {
		return true
	}
	by := map[string]bool{who: true}
	for _, y := range m.given(e) {
		by[y.by] = true
	}
	n := 0
	for _, owner := range owners {
		if by[owner] && (!m.fourEyes || owner != e.writer) {
			n++
		}
	}
	return n >= 2
}

// mayApprove returns the reasons for rejecting the approval of several entries in one call.
func (m *table) mayApprove(who string, chosen []int) (r refusals) {
	if !isUser(who) {
		return refusals{"authority"}
	}
	tools := map[int]bool{}
	for _, i := range chosen {
		e := &m.entries[i]
		r.add("state", e.state != proposals.UserReview)
		r.add("stale", e.base != m.live(e.tool) || tools[e.tool])
		r.add("conflict", tools[e.tool]) // either of the two reasons may be reported first
		tools[e.tool] = true
		r.add("four eyes", m.fourEyes && e.writer == who)
		r.add("blocked", m.blocked(e))
		r = append(r, m.owned(who, e)...)
		for _, k := range m.members(e.set) {
			other := m.entries[k].state
			r.add("change set", other == proposals.Rejected || other != proposals.Approved && !slices.Contains(chosen, k))
		}
	}
	return r
}

// approve records a valid approval.
func (m *table) approve(who string, chosen []int) {
	waits := map[string]bool{"": false}
	for _, i := range chosen {
		if e := &m.entries[i]; !m.enough(who, e) && e.set != "" {
			waits[e.set] = true
		}
	}
	before := m.clone()
	for _, i := range chosen {
		e, was := &m.entries[i], &before.entries[i]
		if waits[e.set] || !before.enough(who, was) {
			e.approvals = append(e.approvals, modelApproval{who, e.revision, e.assessment, before.seal(e.set), m.keys[who]})
			continue
		}
		version := version{content: e.is}
		if m.signing {
			version.keys = []int{m.keys[who]}
			if before.shared(was) {
				for _, y := range before.given(was) {
					version.keys = append(version.keys, y.key)
				}
			}
		}
		e.state = proposals.Approved
		m.versions[e.tool] = append(m.versions[e.tool], version)
	}
}

// mayRefuse returns the reasons for rejecting the verdicts needs changes and reject.
func (m *table) mayRefuse(who string, e *entry) (r refusals) {
	r.add("authority", !isUser(who))
	r.add("state", e.state != proposals.UserReview)
	return r
}

func (m *table) mayWaive(who string, e *entry, end bool) (r refusals) {
	owners := m.owners[e.tool]
	r.add("authority", !isUser(who) || len(owners) > 0 && !slices.Contains(owners, who))
	r.add("state", e.state != proposals.UserReview)
	r.add("not found", e.is.alias == "")
	r.add("not waived", end && m.waiver(e) < 0)
	return r
}

// merge merges a value. It returns false for a conflict.
func merge[T comparable](base, ours, theirs T) (T, bool) {
	switch {
	case ours == base, ours == theirs:
		return theirs, true
	case theirs == base:
		return ours, true
	}
	return ours, false
}

func (m *table) rebase(who string, i int) refusals {
	e := m.entries[i]
	if r := m.own(who, &e); len(r) > 0 {
		return r
	}
	n := m.live(e.tool)
	if n == e.base {
		return refusals{"unchanged"}
	}
	live := m.versions[e.tool][n-1].content
	next := e
	next.base = n
	switch e.kind {
	case proposals.Deactivate, proposals.Reactivate:
		next.is = live
		next.is.off = e.kind == proposals.Deactivate
	case proposals.Restore:
	case proposals.New, proposals.Modify:
		next.kind = proposals.Modify
		var base content
		whole := true // a single text without common parts
		if e.base > 0 {
			base, whole = m.versions[e.tool][e.base-1].content, false
		}
		clean := !whole || e.is.lines == live.lines
		var ok bool
		for l := range base.lines {
			if next.is.lines[l], ok = merge(base.lines[l], e.is.lines[l], live.lines[l]); !ok {
				clean = false
			}
		}
		if next.is.alias, ok = merge(base.alias, e.is.alias, live.alias); !ok {
			clean = false
		}
		next.is.off, _ = merge(base.off, e.is.off, live.off)
		if !clean {
			return refusals{"merge"}
		}
	}
	return m.revise(who, who, i, next)
}

// covered returns the content that the review digest of an entry covers, including the assessment, because the decider
// was shown its comment.
func (m *table) covered(e *entry) string {
	touched := make([]int, 0, 4) // the effect of a set on a prompt depends on the live versions that it changes
	for _, tool := range m.toolsOf(e) {
		touched = append(touched, m.live(tool))
	}
	return fmt.Sprint(e.revision, e.assessment, m.waiver(e), m.seal(e.set), e.base, touched)
}

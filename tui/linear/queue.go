package linear

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// pageSize is how many proposals are listed at once.
const pageSize = 20

// stateOf reads the name of a state as it is typed.
func stateOf(word string) (proposals.State, bool) {
	switch strings.ToLower(word) {
	case "", "all":
		return "", true
	case "yours", "your", "turn":
		return proposals.UserReview, true
	case "chief":
		return proposals.ChiefReview, true
	case "changes":
		return proposals.NeedsChanges, true
	case "drafts", "draft":
		return proposals.Drafted, true
	}
	for _, s := range proposals.States() {
		if strings.EqualFold(string(s), word) {
			return s, true
		}
	}
	return "", false
}

func (s *session) doList(word string) error {
	state, ok := stateOf(word)
	if !ok {
		s.out.linef("%q is not a state. Say all, yours, chief, changes, drafts, approved, rejected or withdrawn.", word)
		return nil
	}
	s.open, s.query, s.list = nil, review.Query{State: state, Order: s.query.Order, Limit: pageSize}, nil
	return s.page()
}

func (s *session) doFind(text string) error {
	s.open, s.query, s.list = nil, review.Query{Filter: text, Order: s.query.Order, Limit: pageSize}, nil
	return s.page()
}

// doSort lists the same proposals in another order.
func (s *session) doSort(word string) error {
	order := review.Order(strings.ToLower(word))
	if order == "newest" {
		order = review.ByNewest
	}
	if word == "" || !slices.Contains(review.Orders(), order) {
		s.out.line("Say sort and newest, oldest, risk, subject or author.")
		return nil
	}
	s.open, s.list, s.query.Order, s.query.After = nil, nil, order, ""
	return s.page()
}

func (s *session) doNext(string) error {
	if s.next == "" {
		s.out.line("End of the list.")
		return nil
	}
	s.query.After = s.next
	return s.page()
}

// page lists a page and numbers it.
func (s *session) page() error {
	page, err := s.cfg.Desk.List(s.ctx, s.query)
	if err != nil {
		return err
	}
	s.next = page.Next
	if len(page.Proposals) == 0 {
		s.out.line("No proposals.")
		return nil
	}
	for _, p := range page.Proposals {
		s.list = append(s.list, p)
		s.out.linef("%d. %s", len(s.list), s.row(p))
	}
	if s.next != "" {
		s.out.line("Say next for more.")
	}
	return nil
}

// row says everything about a proposal that a list has room for.
func (s *session) row(p proposals.Proposal) string {
	parts := []string{fmt.Sprintf("%s %s, %s", p.Type, p.Subject, s.stateWord(p)), "by " + p.Author.String()}
	if p.Issue > 0 {
		parts = append(parts, "issue "+wording.Reference(p))
	}
	if p.Summary.Recommendation != "" {
		parts = append(parts, "advice "+wording.Advice(p.Summary.Recommendation))
	}
	switch {
	case p.Summary.Blocks > 0:
		parts = append(parts, fmt.Sprintf("%s, %d of them blocking", wording.Count(p.Summary.Findings, "finding", "findings"), p.Summary.Blocks))
	case p.Summary.Findings > 0:
		parts = append(parts, wording.Count(p.Summary.Findings, "finding", "findings")+", the worst "+p.Summary.Worst)
	}
	if p.Approvals != nil {
		parts = append(parts, "approvals "+p.Approvals.Text)
	}
	if p.Stale() {
		parts = append(parts, "stale")
	}
	if p.ChangeSet != "" {
		parts = append(parts, "change set "+p.ChangeSet)
	}
	if s.marked(p.ID) {
		parts = append(parts, "marked")
	}
	return strings.Join(parts, ", ") + "."
}

func (s *session) doOpen(ref string) error {
	if ref == "" {
		s.out.line("Say open and a number of the list.")
		return nil
	}
	id, err := s.called(ref)
	if err != nil {
		return err
	}
	if err := s.show(id); err != nil {
		return err
	}
	s.shown(*s.open)
	return s.doOverview("")
}

// called finds the one proposal that is called so: by its number in the list,
// its issue or its id.
func (s *session) called(ref string) (proposals.ID, error) {
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(s.list) {
		return s.list[n-1].ID, nil
	}
	ids, err := s.cfg.Resolve(s.ctx, ref)
	if err != nil {
		return "", err
	}
	if len(ids) != 1 {
		return "", fmt.Errorf("%q is %s; name one of them", ref, wording.Count(len(ids), "proposal", "proposals"))
	}
	return ids[0], nil
}

// show reads a proposal and makes it the open one.
func (s *session) show(id proposals.ID) error {
	d, err := s.cfg.Desk.Show(s.ctx, s.cfg.Actor, id)
	if err != nil {
		return err
	}
	s.open = &d
	r := s.read[id]
	if r == nil {
		r = &reading{}
		s.read[id] = r
	}
	r.dossier = d
	return nil
}

// shown remembers what the user has opened, or is asked about. What is read
// again because somebody wrote does not count.
func (s *session) shown(ds ...review.Dossier) {
	if err := s.cfg.Desk.Shown(s.ctx, s.cfg.Actor, ds...); err != nil && !errors.Is(err, review.ErrReadOnly) {
		s.out.line(sentence(err))
	}
}

func (s *session) reopen() error {
	if s.open == nil {
		return nil
	}
	return s.show(s.open.Proposal.ID)
}

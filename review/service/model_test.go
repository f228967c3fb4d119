package service_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/signingtest"
	"toolcrib/store/storetest"
)

// step is a random act. Its numbers select among the objects that exist when it is performed, so that a sequence can be
// repeated without some of its steps.
type step struct {
	what           string
	who, p, q, how int
}

func (s step) String() string {
	return fmt.Sprintf("{%q, %d, %d, %d, %d},", s.what, s.who, s.p, s.q, s.how)
}

// modelActs lists the acts. Acts that occur several times are more frequent.
var modelActs = strings.Fields("propose propose propose set set submit revise revise again withdraw approve approve approve approve whole whole pair back reject " +
	"waive waive unwaive rebase rebase regroup assess assess forward key show show expect expect rollback")

// actors of the model; the first four are users.
var actors = []proposals.Actor{ada, mara, kim, bob, scout, rover, carla}

// retired lists names that a rule blocks as aliases, two for each tool.
var retired = [][2]string{{"get_task", "create_task"}, {"update_task", "delete_task"}, {"list_reminders", "create_reminder"}}

// randomSteps returns the random acts of a seed.
func randomSteps(seed uint64, n int) []step {
	r := rand.New(rand.NewPCG(seed, 34)) //nolint:gosec // a test repeats it
	steps := make([]step, n)
	for i := range steps {
		who := r.IntN(len(actors))
		if r.IntN(3) > 0 {
			who %= 4 // most acts are performed by users
		}
		steps[i] = step{modelActs[r.IntN(len(modelActs))], who, r.IntN(1000), r.IntN(1000), r.IntN(1000)}
	}
	return steps
}

// TestWorkflowModel performs random acts on a desk and on a model written from the specification, and compares all
// stored data after each act. It covers signatures (none, missing, by other users, too late, with revoked keys), four
// eyes, several owners, a manual chief, expiring waivers, change sets, retirement, rebases, and restores.
// TOOLCRIB_MODEL_SEED repeats a seed.
func TestWorkflowModel(t *testing.T) {
	shortrun.OneGoroutine(t)
	seeds, length := uint64(128/shortrun.Every(4)), 60
	if storetest.OnPostgres() {
		seeds = max(seeds/5, 48) // acts take ten times as long, and the model is the same
	}
	first := uint64(0)
	if text := os.Getenv("TOOLCRIB_MODEL_SEED"); text != "" {
		var err error
		if first, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
		seeds = 1
	}
	done := map[string]int{}
	for seed := first; seed < first+seeds; seed++ {
		steps := randomSteps(seed, length)
		at, err := runModel(t, seed, steps, done)
		if err == nil {
			continue
		}
		steps = shrink(steps[:at+1], func(s []step) bool { _, err := runModel(t, seed, s, nil); return err != nil })
		_, last := runModel(t, seed, steps, nil)
		t.Fatalf("seed %d, act %d: %v\nthe shortest sequence found, which ends with: %v\n%s", seed, at, err, last, strings.ReplaceAll(fmt.Sprint(steps), "}, {", "},\n{"))
	}
	t.Logf("%d seeds of %d acts; done and refused: %v", seeds, length, done)
	for _, act := range modelActs {
		if seeds > 1 && done[act] == 0 && act != "again" {
			t.Errorf("%s never succeeded", act)
		}
	}
}

// shrink removes steps from a failing sequence as long as it still fails.
func shrink(steps []step, fails func([]step) bool) []step {
	tries := 0
	for size := len(steps) / 2; size > 0; size /= 2 {
		for from := 0; from+size <= len(steps) && tries < 150; {
			tries++
			if fewer := slices.Delete(slices.Clone(steps), from, from+size); fails(fewer) {
				steps = fewer
				continue
			}
			from += size
		}
	}
	return steps
}

// modelTest is a database with its model.
type modelTest struct {
	*testing.T
	*table
	db     *storetest.Database
	signed *storetest.Signing // nil if decisions are not signed
	desk   *service.Desk
	ids    []proposals.ID
	old    map[string]signingtest.Key // revoked keys
	texts  int
}

// openModel opens the database for a seed. The lowest bits of the seed determine the policy.
func openModel(t *testing.T, seed uint64) *modelTest {
	t.Helper()
	m := &modelTest{T: t, table: &table{
		fourEyes: seed&1 != 0, signing: seed&2 != 0, manual: seed&12 == 12, owners: map[int][]string{}, versions: map[int][]version{},
		rejected: map[string]bool{}, keys: map[string]int{}, revoked: map[int]bool{},
	}, db: storetest.New(t), old: map[string]signingtest.Key{}}
	policy := review.Policy{
		Severities: storetest.BasicSeverities(), FourEyes: m.fourEyes, ManualChief: m.manual, MaxOpen: maxOpen, MaxOpenAll: 1000, MaxWrites: 100_000,
	}
	if seed&4 != 0 {
		policy.Approvals = approval.Rules{owners(t, "tool:user/t0", 2, ada, mara, kim)}
		m.owners[0] = []string{ada.String(), mara.String(), kim.String()}
	}
	if seed&8 != 0 {
		policy.Approvals = append(policy.Approvals, owners(t, "tool:user/t1", 2, kim, bob))
		m.owners[1] = []string{kim.String(), bob.String()}
	}
	for i, user := range actors[:4] {
		m.keys[user.String()] = i + 1
	}
	m.desk = m.db.Desk(t, policy)
	if m.signing {
		m.signed = storetest.StartSigning(t, m.db, policy, actors[:4]...)
		m.db, m.desk = m.signed.Database, m.signed.Desk(t, m.signed.Policy)
	}
	return m
}

// runModel performs steps until the desk and the model differ. It runs as a subtest, so that its database is closed
// afterwards.
func runModel(t *testing.T, seed uint64, steps []step, done map[string]int) (at int, err error) {
	t.Helper()
	t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { at, err = openModel(t, seed).run(steps, done) })
	return at, err
}

func (m *modelTest) run(steps []step, done map[string]int) (at int, err error) {
	for at, s := range steps {
		before := m.clone()
		want, act := m.act(s)
		if act == nil {
			continue
		}
		if len(want) > 0 {
			minute := m.minute
			m.table = before
			m.minute = minute
		}
		err := act()
		if err := judge(want, err); err != nil {
			return at, fmt.Errorf("%v: %w", s, err)
		}
		if err := m.compare(); err != nil {
			return at, fmt.Errorf("after %v: %w", s, err)
		}
		if done != nil && len(want) == 0 {
			done[s.what]++
		} else if done != nil {
			done["refused"]++
		}
	}
	if report := storetest.Verify(m.T, m.db.DB); len(report.Damage) > 0 {
		return len(steps) - 1, fmt.Errorf("the database is damaged: %+v", report.Damage)
	}
	return 0, nil
}

// reasons maps the words of the model to errors of the desk.
var reasons = map[string]error{
	"authority": proposals.ErrAuthority, "state": proposals.ErrState, "stale": review.ErrStale, "blocked": review.ErrBlocked, "change set": review.ErrChangeSet,
	"four eyes": proposals.ErrFourEyes, "unsigned": proof.ErrUnsigned, "signature": proof.ErrSignature, "conflict": proposals.ErrConflict, "incomplete": review.ErrIncomplete,
	"repeated": review.ErrRepeated, "limit": review.ErrLimit, "digest": review.ErrDigest, "unchanged": proposals.ErrUnchanged, "not found": proposals.ErrNotFound,
	"not waived": review.ErrNotWaived, "not waivable": review.ErrNotWaivable, "merge": review.ErrMerge,
}

// judge compares the result of an act with the expected results.
func judge(want refusals, err error) error {
	if len(want) == 0 {
		if err != nil {
			return fmt.Errorf("it is refused: %w; the model does it", err)
		}
		return nil
	}
	for _, reason := range want {
		if errors.Is(err, reasons[reason]) {
			return nil
		}
	}
	return fmt.Errorf("it ends with %w; the model refuses it for %q", err, want)
}

func tool(i int) registry.Subject {
	return registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: fmt.Sprintf("t%d", i)}
}

// errNone represents a missing error in messages.
var errNone = errors.New("no error")

func errorOr(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// compare compares all stored data with the model.
func (m *modelTest) compare() error {
	if len(m.ids) != len(m.entries) {
		return fmt.Errorf("there are %d proposals; the model has %d", len(m.ids), len(m.entries))
	}
	page, err := m.desk.Reading.List(m.Context(), review.Query{State: proposals.UserReview, Limit: review.MaxPage})
	if err != nil {
		return err
	}
	return m.db.View(m.Context(), func(r review.Reader) error {
		for i := range m.entries {
			if err := m.compareEntry(r, page.Proposals, i); err != nil {
				return fmt.Errorf("proposal %d: %w", i, err)
			}
		}
		for i := range retired {
			l, err := r.Live(m.Context(), tool(i))
			if n := m.live(i); n == 0 {
				if !errors.Is(err, proposals.ErrNotFound) {
					return fmt.Errorf("%s is live: %w", tool(i), err)
				}
				continue
			} else if err != nil || l.Version != n || (l.Refused != nil) != m.refused(i) || !m.refused(i) && read(l.Definition) != m.versions[i][n-1].content {
				return fmt.Errorf("%s is live in version %d with %+v, refused for %w, %w; the model has %d with %+v, refused %v",
					tool(i), l.Version, read(l.Definition), errorOr(l.Refused), errorOr(err), n, m.versions[i][n-1], m.refused(i))
			}
		}
		return nil
	})
}

func (m *modelTest) compareEntry(r review.Reader, listed []proposals.Proposal, i int) error {
	e := &m.entries[i]
	p, err := r.Proposal(m.Context(), m.ids[i])
	if err != nil {
		return err
	}
	got := fmt.Sprint(p.Type, " ", p.Subject, " ", p.State, " ", p.Revision, " ", p.BaseVersion, " ", p.ChangeSet, " ", p.Author, " ", p.LiveVersion)
	if want := fmt.Sprint(e.kind, " ", tool(e.tool), " ", e.state, " ", e.revision, " ", e.base, " ", e.set, " ", e.author, " ", m.live(e.tool)); got != want {
		return fmt.Errorf("it is %q; the model has %q", got, want)
	}
	rev, err := r.Revision(m.Context(), p.ID, p.Revision)
	if err != nil || rev.Author.String() != e.writer || read(rev.Draft.Definition) != e.is {
		return fmt.Errorf("its revision is by %s with %+v, %w; the model has %s with %+v", rev.Author, read(rev.Draft.Definition), errorOr(err), e.writer, e.is)
	}
	if e.state != proposals.UserReview {
		return nil
	}
	at := slices.IndexFunc(listed, func(o proposals.Proposal) bool { return o.ID == p.ID })
	if at < 0 {
		return errors.New("the list does not have it")
	}
	p = listed[at]
	if (p.Summary.Blocks > 0) != m.blocked(e) {
		return fmt.Errorf("%d findings block it; the model has %v, waived by %d", p.Summary.Blocks, e.is, m.waiver(e))
	}
	given := 0
	for _, y := range m.given(e) {
		if slices.Contains(m.owners[e.tool], y.by) && (!m.fourEyes || y.by != e.writer) {
			given++
		}
	}
	if len(m.owners[e.tool]) > 0 && (p.Approvals == nil || len(p.Approvals.Given) != given) {
		return fmt.Errorf("its approvals are %+v; the model has %d", p.Approvals, given)
	}
	return nil
}

package audit

import (
	"context"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"

	"toolcrib/store/pages"
)

// Seal says what the seal of a table covers.
type Seal struct {
	Table   string
	Format  string   // the first field
	Columns []string // those behind it, in order
	Column  string   // where the seal is
	Prev    string   // where the seal of the row before is, "" in tables of no chain

	// Text is the column of a text that enters through its hash, "" when none.
	Text, TextHash string
}

// Names of the tables that are known by more than their seals.
const (
	versions    = "versions"
	events      = "events"
	revisions   = "revisions"
	assessments = "assessments"
	decisions   = "decisions"
	waivers     = "waivers"
	proposals   = "proposals"
	issues      = "issues"
	live        = "live"
	names       = "names"
)

// Facts are what an audit has to know that it does not read from pages.
type Facts struct {
	Core     map[string]bool  // ids of the locked tools
	Counters map[string]int64 // proposals by state
	Imports  []string         // ids
}

// Audit is an audit of one database.
type Audit struct {
	file     *pages.File
	tables   []Table
	plans    map[string]*plan
	seals    []Seal
	seed     maphash.Seed
	facts    Facts
	registry registry
	queue    queue
	log      log
	rows     map[string]int64
	progress func(table string, rows int64)
	batches  sync.Pool // of *batch
}

// New plans an audit. Root is the page of the schema itself.
func New(tables []Table, seals []Seal) *Audit {
	a := &Audit{tables: tables, plans: map[string]*plan{}, seals: seals, seed: maphash.MakeSeed(), rows: map[string]int64{}}
	a.batches.New = func() any { return &batch{} }
	forms := newForms()
	for _, t := range tables {
		if p, ok := planOf(t, forms); ok {
			a.plans[t.Name] = p
		}
	}
	return a
}

// Left lists the tables that the engine has to check: those with something that
// is not known here, and the schema.
func (a *Audit) Left() []string {
	left := []string{"sqlite_schema"}
	for _, t := range a.tables {
		if a.plans[t.Name] == nil {
			left = append(left, t.Name)
		}
	}
	return left
}

// Run reads the whole file. It returns nil when the database is sound in what
// is not left to the engine, and an error that says what is not, for those who
// wonder, or what kept it from being read. progress is called now and then with
// a table and its rows so far, never twice at once.
func (a *Audit) Run(ctx context.Context, file *pages.File, facts Facts, progress func(table string, rows int64)) (map[string]int64, error) {
	a.file, a.facts, a.progress = file, facts, progress
	a.registry.of, a.queue.of = map[uint64]int32{}, map[uint64]int32{}
	a.log.records = map[string][]uint64{}
	first, second, third, err := a.phases()
	if err != nil {
		return nil, err
	}
	for _, scans := range [][]*scan{first, second, third} {
		if err := a.run(ctx, scans, runtime.GOMAXPROCS(0)); err != nil {
			return nil, err
		}
	}
	if err := file.Freelist(); err != nil {
		return nil, err
	}
	if page := file.Unclaimed(); page != 0 {
		return nil, unsound("page %d has no use", page)
	}
	return a.rows, a.conclude()
}

// conclude compares what can only be compared when everything was read.
func (a *Audit) conclude() error {
	for _, p := range a.plans {
		for _, x := range p.indexes {
			if x.rows != x.found {
				return unsound("the index %s does not say what %s says", x.Name, p.Name)
			}
		}
	}
	if err := a.registry.conclude(); err != nil {
		return err
	}
	if err := a.queue.conclude(a); err != nil {
		return err
	}
	return a.log.conclude(a)
}

// phases says what is read in which order: what is live and what is proposed,
// then the log, then the records, which are held against both.
func (a *Audit) phases() (first, second, third []*scan, err error) {
	if first, err = a.current(); err != nil {
		return nil, nil, nil, err
	}
	records, err := a.sealedScans()
	if err != nil {
		return nil, nil, nil, err
	}
	second = a.others()
	for _, s := range records {
		if s.plan.Name == events {
			second = append(second, s)
		} else {
			third = append(third, s)
		}
	}
	for name, p := range a.plans {
		if p.lacks != "" {
			return nil, nil, nil, unsound("%s has no column %s", name, p.lacks)
		}
	}
	return first, second, third, nil
}

// currentTables say where things stand; the records are held against them.
var currentTables = []string{live, names, proposals, issues}

// current are the scans of those tables.
func (a *Audit) current() ([]*scan, error) {
	for _, name := range append(slices.Clone(currentTables), versions, events, revisions, assessments, decisions, waivers) {
		if a.plans[name] == nil {
			return nil, unsound("%s is not read here", name)
		}
	}
	scanOf := func(name string, visit func(*plan) visit, settle func(*fact) error) *scan {
		p := a.plans[name]
		return &scan{plan: p, root: p.Root, visit: visit(p), settle: settle}
	}
	return []*scan{
		scanOf(live, a.visitLive, a.settleLive),
		scanOf(names, a.visitName, a.settleName),
		scanOf(proposals, a.visitProposal, a.settleProposal),
		scanOf(issues, a.visitIssue, a.settleIssue),
	}, nil
}

// others are the scans of all trees that are neither records nor in current: the
// schema, the indexes, and tables that are compared with theirs or only counted.
func (a *Audit) others() []*scan {
	scans := []*scan{{root: 1, rowid: true}}
	for _, t := range a.tables {
		p := a.plans[t.Name]
		for i, x := range t.Indexes {
			s := &scan{root: x.Root}
			if p != nil {
				s.index = p.indexes[i]
			}
			scans = append(scans, s)
		}
		switch {
		case t.Root == 0 || slices.Contains(currentTables, t.Name) || p != nil && p.seal != nil:
		case p != nil:
			scans = append(scans, &scan{plan: p, root: t.Root})
		default:
			scans = append(scans, &scan{root: t.Root, rowid: !t.WithoutRowid})
		}
	}
	return scans
}

// sealedScans are the scans of the tables of records.
func (a *Audit) sealedScans() ([]*scan, error) {
	visits := map[string]func(*plan) visit{
		versions: a.visitVersion, events: a.visitEvent, revisions: a.visitRevision,
		assessments: a.visitAssessment, decisions: a.visitDecision, waivers: a.visitWaiver,
	}
	settles := map[string]func(*fact) error{
		versions: a.settleVersion, events: a.settleEvent, revisions: a.settleRevision,
		assessments: a.settleAssessment, decisions: a.settleDecision, waivers: a.settleWaiver,
	}
	var scans []*scan
	for _, s := range a.seals {
		p := a.plans[s.Table]
		if p == nil || p.WithoutRowid {
			return nil, unsound("%s is not read here", s.Table)
		}
		sealed, err := p.sealedBy(s)
		if err != nil {
			return nil, err
		}
		sealed.last.seal = maphash.Bytes(a.seed, nil)
		p.seal = sealed
		sc := &scan{plan: p, root: p.Root, settle: settles[s.Table]}
		if visits[s.Table] != nil {
			sc.visit = visits[s.Table](p)
		}
		scans = append(scans, sc)
	}
	return scans, nil
}

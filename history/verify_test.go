package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/registry"
)

// ledger is a Ledger in memory.
type ledger struct {
	tables  map[string][]Row
	broken  map[string]error // tables whose reading fails
	odd     []Damage
	torn    []Damage
	pages   []Damage // found by a deep verification only
	unnamed []Damage
}

func (l ledger) Tables() []string {
	names := []string{"versions", "notes"}
	for name := range l.tables {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (l ledger) Rows(_ context.Context, table string, fn func(Row) error) error {
	for _, r := range l.tables[table] {
		if err := fn(r); err != nil {
			return err
		}
	}
	return l.broken[table]
}

func (l ledger) Structure(_ context.Context, deep bool, fn func(Damage)) error {
	for _, d := range l.torn {
		fn(d)
	}
	if deep {
		for _, d := range l.pages {
			fn(d)
		}
	}
	return l.broken["structure"]
}

func (l ledger) Inconsistencies(_ context.Context, _ bool, fn func(Damage)) error {
	for _, d := range l.odd {
		fn(d)
	}
	return l.broken["inconsistencies"]
}

func (l ledger) References(_ context.Context, fn func(Damage)) error {
	for _, d := range l.unnamed {
		fn(d)
	}
	return l.broken["references"]
}

// chain returns n rows of a chain.
func chain(name string, n int) []Row {
	rows := make([]Row, n)
	prev := ""
	for i := range rows {
		text := fmt.Sprintf("%s text %d", name, i)
		fields := []string{"format", name, strconv.Itoa(i + 1), registry.HashBytes([]byte(text)), prev}
		rows[i] = Row{
			Table: "versions", Key: fmt.Sprintf("%s %d", name, i+1), Fields: fields, Seal: Seal(fields...),
			Text: text, TextHash: registry.HashBytes([]byte(text)), Chain: name, Number: int64(i + 1), Prev: prev,
		}
		prev = rows[i].Seal
	}
	return rows
}

// resealed returns r with a valid seal, as a forger would write it.
func resealed(r Row) Row {
	r.Fields = slices.Clone(r.Fields)
	r.Fields[3], r.TextHash = registry.HashBytes([]byte(r.Text)), registry.HashBytes([]byte(r.Text))
	r.Seal = Seal(r.Fields...)
	return r
}

func found(t *testing.T, l Ledger) []string {
	t.Helper()
	report, err := Verify(t.Context(), l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range report.Damage {
		all = append(all, d.Table+"/"+d.Key+": "+d.Message)
	}
	return all
}

// TestVerifyChains tampers with two interleaved chains.
func TestVerifyChains(t *testing.T) {
	const text, seal, gap, broken = "The definition does not match", "The content does not match", "The number does not follow", "The entry does not contain the hash"
	for name, test := range map[string]struct {
		tamper func(rows []Row) []Row
		want   []string // prefixes of the messages, in order
	}{
		"nothing":      {func(rows []Row) []Row { return rows }, nil},
		"a text":       {func(rows []Row) []Row { rows[2].Text += "!"; return rows }, []string{"versions/a 2: " + text}},
		"a field":      {func(rows []Row) []Row { rows[2].Fields[1] = "x"; return rows }, []string{"versions/a 2: " + seal}},
		"a seal":       {func(rows []Row) []Row { rows[2].Seal = "x"; return rows }, []string{"versions/a 2: " + seal, "versions/a 3: " + broken}},
		"a forged row": {func(rows []Row) []Row { rows[2].Text = "forged"; rows[2] = resealed(rows[2]); return rows }, []string{"versions/a 3: " + broken}},
		"a row less":   {func(rows []Row) []Row { return slices.Delete(rows, 2, 3) }, []string{"versions/a 3: " + gap, "versions/a 3: " + broken}},
		"the first":    {func(rows []Row) []Row { return slices.Delete(rows, 0, 1) }, []string{"versions/a 2: " + gap, "versions/a 2: " + broken}},
		"a row twice":  {func(rows []Row) []Row { return slices.Insert(rows, 2, rows[2]) }, []string{"versions/a 2: " + gap, "versions/a 2: " + broken}},
		"two rows": {
			func(rows []Row) []Row { rows[2], rows[4] = rows[4], rows[2]; return rows },
			[]string{"versions/a 3: " + gap, "versions/a 3: " + broken, "versions/a 2: " + gap, "versions/a 2: " + broken, "versions/a 4: " + gap, "versions/a 4: " + broken},
		},
		"the last": {func(rows []Row) []Row { return rows[:len(rows)-2] }, nil}, // found by References instead
	} {
		t.Run(name, func(t *testing.T) {
			a, b := chain("a", 4), chain("b", 4)
			var rows []Row
			for i := range a {
				rows = append(rows, a[i], b[i])
			}
			got := found(t, ledger{tables: map[string][]Row{"versions": test.tamper(rows)}})
			ok := len(got) == len(test.want)
			for i := range min(len(got), len(test.want)) {
				ok = ok && strings.HasPrefix(got[i], test.want[i])
			}
			if !ok {
				t.Errorf("found %q; want %q", got, test.want)
			}
		})
	}
}

// TestVerifyPlainRows checks rows outside of chains.
func TestVerifyPlainRows(t *testing.T) {
	row := func(i int) Row {
		fields := []string{"note", strconv.Itoa(i)}
		return Row{Table: "notes", Key: strconv.Itoa(i), Fields: fields, Seal: Seal(fields...)}
	}
	rows := []Row{row(3), row(1), row(2)}
	if got := found(t, ledger{tables: map[string][]Row{"notes": rows}}); len(got) > 0 {
		t.Errorf("found %q", got)
	}
	rows[1].Fields[1] = "x"
	if got := found(t, ledger{tables: map[string][]Row{"notes": rows}}); len(got) != 1 || !strings.HasPrefix(got[0], "notes/1: ") {
		t.Errorf("found %q", got)
	}
}

// TestVerifyContinuesAfterUnreadableTable checks that an unreadable table is reported and the others are
// read.
func TestVerifyContinuesAfterUnreadableTable(t *testing.T) {
	rows := chain("a", 2)
	rows[1].Text = "x"
	l := ledger{
		tables: map[string][]Row{"versions": rows}, broken: map[string]error{"versions": errors.New("bad page"), "inconsistencies": errors.New("worse page")},
		odd: []Damage{{Table: "live", Key: "a", Message: "Odd."}},
	}
	got := found(t, l)
	for _, want := range []string{"a 2", "bad page", "live/a: Odd.", "worse page"} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// TestVerifyIsLimited checks that the report is limited and that all rows are
// counted.
func TestVerifyIsLimited(t *testing.T) {
	rows := make([]Row, 3*maxDamage)
	for i := range rows {
		rows[i] = Row{Table: "notes", Key: strconv.Itoa(i), Fields: []string{"x"}, Seal: "wrong"}
	}
	report, err := Verify(t.Context(), ledger{tables: map[string][]Row{"notes": rows}}, Options{})
	if err != nil || len(report.Damage) != maxDamage || report.Rows["notes"] != int64(len(rows)) {
		t.Errorf("%d of damage in %d rows, %v", len(report.Damage), report.Rows["notes"], err)
	}
}

// TestVerifyDeep checks that the engine's own check runs only if requested.
func TestVerifyDeep(t *testing.T) {
	l := ledger{pages: []Damage{{Message: "a page"}}}
	for deep, want := range map[bool]int{false: 0, true: 1} {
		report, err := Verify(t.Context(), l, Options{Deep: deep})
		if err != nil || len(report.Damage) != want {
			t.Errorf("deep %v: %+v, %v", deep, report.Damage, err)
		}
	}
}

// TestVerifyProgress checks that progress is reported and that the caller can
// cancel.
func TestVerifyProgress(t *testing.T) {
	fields := []string{"note"}
	rows := slices.Repeat([]Row{{Table: "notes", Key: "n", Fields: fields, Seal: Seal(fields...)}}, 2*progressEvery+1)
	var calls []int64
	ctx, cancel := context.WithCancel(t.Context())
	progress := func(table string, n int64) {
		calls = append(calls, n)
		if table != "notes" {
			t.Errorf("called for %s", table)
		}
		if len(calls) == 2 {
			cancel()
		}
	}
	_, err := Verify(ctx, ledger{tables: map[string][]Row{"notes": rows}}, Options{Progress: progress})
	if !errors.Is(err, context.Canceled) || !slices.Equal(calls, []int64{progressEvery, 2 * progressEvery}) {
		t.Errorf("called at %v, %v", calls, err)
	}
}

// TestSumsCoverEverything changes each field of a version and of an event: each
// change must change the sum.
func TestSumsCoverEverything(t *testing.T) {
	versions := []Version{
		{},
		{Number: 1},
		{ContentHash: "x"},
		{PrevHash: "x"},
		{Proposal: "x"},
		{Revision: 1},
		{Author: "x"},
		{Assessment: "x"},
		{ReviewDigest: "x"},
		{Rendered: map[string]string{"a": "b"}},
		{RulesVersion: "x"},
		{DecidedBy: "x"},
		{DecidedAt: v().DecidedAt},
		{Note: "x"},
		{Waivers: []Waiver{{ID: "x"}}},
		{Signature: "x"},
		{Subject: v().Subject},
	}
	sums := map[string]int{}
	for i, v := range versions {
		if before, ok := sums[v.Sum()]; ok {
			t.Errorf("versions %d and %d have the same sum", before, i)
		}
		sums[v.Sum()] = i
	}
	if a, b := (Version{Hash: "x"}).Sum(), (Version{}).Sum(); a != b {
		t.Error("the sum covers Hash itself")
	}
	events := []Event{
		{}, {Seq: 1}, {ID: "x"}, {At: v().DecidedAt}, {Actor: "x"}, {Act: "x"}, {Subject: "x"}, {Proposal: "x"}, {Revision: 1}, {Record: "x"}, {Data: []byte("x")}, {PrevHash: "x"},
	}
	for i, e := range events {
		if _, ok := sums[e.Sum()]; ok {
			t.Errorf("the sum of event %d is a duplicate", i)
		}
		sums[e.Sum()] = i
	}
}

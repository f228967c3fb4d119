package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry/shipped"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// inspect opens a database from its bytes and verifies it. The error is the reason why it could not be opened or read.
func inspect(t *testing.T, image []byte) (history.Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	var report history.Report
	db, err := store.Open(t.Context(), path, store.Options{Now: storetest.NewClock().Now, NewID: storetest.IDs(0), Inspect: true})
	if err != nil {
		return report, err
	}
	err = db.Audit(t.Context(), func(l history.Ledger) error {
		report, err = history.Verify(t.Context(), l, history.Options{Deep: true})
		return err
	})
	return report, errors.Join(err, db.Close())
}

// rows returns the texts of all history rows in the file by the names that Verify uses. Each text consists of
// consecutive sealed columns.
func rows(t *testing.T, image []byte) map[string][]string {
	t.Helper()
	db := storetest.FromImage(t, image)
	h := openRawDB(t, db)
	texts := map[string][]string{}
	err := db.Audit(t.Context(), func(l history.Ledger) error {
		for _, table := range l.Tables() {
			n := 0
			err := l.Rows(t.Context(), table, func(r history.Row) error {
				for _, run := range h.runs(table, n) {
					if len(run) >= window {
						texts[nameOf(table, r.Key)] = append(texts[nameOf(table, r.Key)], run)
					}
				}
				n++
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// nameOf returns the part of a row's name that does not depend on its content.
func nameOf(table, key string) string {
	if table != "versions" {
		key, _, _ = strings.Cut(key, " (")
	}
	return table + ": " + key
}

// runs returns the texts of the nth row of a table. Consecutive sealed text columns form one text.
func (h rawDB) runs(table string, n int) []string {
	h.Helper()
	var parts []string
	for _, c := range h.columns(table) {
		if table == "versions" && slices.Contains([]string{"kind", "layer", "id", "subject"}, c) {
			parts = append(parts, "char(0)") // the subject is the name; the other columns repeat it and are compared with it
			continue
		}
		parts = append(parts, fmt.Sprintf("iif(typeof(%[1]s) = 'text', %[1]s, char(0))", c))
	}
	row := h.text(fmt.Sprintf("SELECT CAST(%s AS BLOB) FROM %s ORDER BY seq LIMIT 1 OFFSET ?", strings.Join(parts, " || "), table), n)
	return strings.Split(row, "\x00")
}

// window is the number of bytes of a row that identify its position in the file.
const window = 24

// place returns the position in the file of a random byte of a text. It returns -1 if the text around it also occurs
// elsewhere, for example in other rows and indexes, or is split between two pages.
func place(random *rand.Rand, image []byte, text string) int {
	start := random.IntN(len(text) - window + 1)
	around := []byte(text[start : start+window])
	at := bytes.Index(image, around)
	if at < 0 || bytes.Contains(image[at+1:], around) {
		return -1
	}
	return at + random.IntN(window)
}

// TestEveryChangedRowIsNamed repeatedly changes a byte of each history row without the engine. The report must name every
// changed row.
func TestEveryChangedRowIsNamed(t *testing.T) {
	shortrun.OneGoroutine(t)
	rounds := (4 + stride - 1) / stride
	if os.Getenv("TOOLCRIB_CRASH") != "" { // all tests
		rounds = 96
	}
	storetest.NeedsFile(t)
	original := image(t)
	byRow := rows(t, original)
	random := rand.New(rand.NewPCG(1, 2))
	flips := 0
	for range rounds {
		spoilt := bytes.Clone(original)
		touched := map[string]bool{}
		for row, texts := range byRow {
			for range 50 { // until a unique text is found
				if at := place(random, original, texts[random.IntN(len(texts))]); at >= 0 {
					spoilt[at] ^= 1 << random.IntN(7)
					touched[row] = true
					flips++
					break
				}
			}
		}
		report, err := inspect(t, spoilt)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, d := range report.Damage {
			if strings.HasPrefix(d.Message, "The content does not match its seal") || strings.HasPrefix(d.Message, "The definition does not match") {
				named[nameOf(d.Table, d.Key)] = true
			}
		}
		for row := range byRow {
			if touched[row] != named[row] {
				t.Errorf("%s: touched %t, named %t", row, touched[row], named[row])
			}
		}
	}
	t.Logf("%d flips in %d rows of history: each row named, and no other", flips, len(byRow))
	if flips < 500/stride {
		t.Errorf("only %d flips were made", flips)
	}
}

// TestAnyChangedByteIsDetected changes an arbitrary byte of the file. Either all rows of the history and of the registry must
// be unchanged, or the change must be reported.
func TestAnyChangedByteIsDetected(t *testing.T) {
	shortrun.OneGoroutine(t)
	flips := 40 / stride
	storetest.NeedsFile(t)
	original := image(t)
	random := rand.New(rand.NewPCG(3, 4))
	before := dumpOf(t, original)
	harmless := 0
	for range flips {
		at := random.IntN(len(original))
		spoilt := bytes.Clone(original)
		spoilt[at] ^= 1 << random.IntN(8)
		report, err := inspect(t, spoilt)
		if err != nil || len(report.Damage) > 0 {
			continue
		}
		harmless++
		for _, line := range storetest.Difference(before, dumpOf(t, spoilt)) {
			table, _, _ := strings.Cut(line[2:], ":")
			if slices.Contains(append(recordTables, "live", "core", "names", "counters"), table) {
				t.Errorf("byte %d: nothing was noticed, and it changed\n%s", at, line)
			}
		}
	}
	t.Logf("%d of %d flips touched nothing that is kept", harmless, flips)
}

func dumpOf(t *testing.T, image []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	return storetest.Dump(t, path)
}

// TestChangedCoreIsNotOpened changes one byte of each core tool. Opening the database must fail with an error that names
// the tool, and must not change the file.
func TestChangedCoreIsNotOpened(t *testing.T) {
	shortrun.OneGoroutine(t)
	storetest.NeedsFile(t)
	original := image(t)
	random := rand.New(rand.NewPCG(5, 6))
	for i, d := range shipped.Core() {
		if i%stride != 0 {
			continue
		}
		spoilt := bytes.Clone(original)
		at := -1
		for at < 0 {
			at = place(random, original, string(d.Canonical()))
		}
		spoilt[at] ^= 1
		path := filepath.Join(t.TempDir(), "toolcrib.db")
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(), path, store.Options{Now: storetest.NewClock().Now, NewID: storetest.IDs(0)})
		if err == nil {
			err = errors.Join(errors.New("it was opened"), db.Close())
		}
		if !errors.Is(err, proposals.ErrTampered) || !strings.Contains(err.Error(), fmt.Sprintf("core tool %s ", d.ID())) {
			t.Errorf("%s: %v", d.ID(), err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, spoilt) {
			t.Errorf("%s: the file was written to (%v)", d.ID(), err)
		}
	}
}

// TestChangedSubjectIsDetected changes the subject of versions only in the table. The index by subject, from which a reader
// might take it, still contains the old one.
func TestChangedSubjectIsDetected(t *testing.T) {
	shortrun.OneGoroutine(t)
	storetest.NeedsFile(t)
	original := image(t)
	for i, d := range shipped.Assistant() {
		if i%stride != 0 {
			continue
		}
		subject := "tool:global/" + d.ID()
		row := []byte(subject + string(d.Canonical()[:window])) // number 1 is stored without a byte between them
		at := bytes.Index(original, row)
		if at < 0 {
			t.Fatalf("%s is not found", subject)
		}
		spoilt := bytes.Clone(original)
		spoilt[at+len(subject)-1] ^= 1
		report, err := inspect(t, spoilt)
		if err != nil {
			t.Fatal(err)
		}
		sealed := slices.ContainsFunc(report.Damage, func(d history.Damage) bool {
			return d.Table == "versions" && strings.HasPrefix(d.Message, "The content does not match its seal")
		})
		if !sealed {
			t.Errorf("%s: %+v", subject, report.Damage)
		}
	}
}

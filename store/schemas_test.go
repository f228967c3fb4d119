package store_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/engine"
	"toolcrib/store/storetest"
)

// TestEverySchemaOpens opens a database of every released schema, which migrates it, and verifies and uses it (G8).
// make generate writes the fixture of the newest schema, once for each engine (TOOLCRIB_TEST_ENGINE=postgres). A
// fixture is never changed afterwards.
func TestEverySchemaOpens(t *testing.T) {
	shortrun.OneGoroutine(t)
	numbers := schemaNumbers(t)
	if generated.Updating() {
		writeFixture(t, fixtureOf(numbers[len(numbers)-1]))
	}
	for _, number := range numbers {
		t.Run(strconv.Itoa(number), func(t *testing.T) {
			fixture := readFixture(t, fixtureOf(number))
			db := storetest.FromFixture(t, fixture)
			storetest.Sound(t, db.DB)
			err := db.View(t.Context(), func(r review.Reader) error {
				page, err := r.List(t.Context(), review.Query{Limit: 100})
				if len(page.Proposals) < 10 {
					t.Errorf("%d proposals", len(page.Proposals))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
			if _, err := desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{storetest.Prompt("late_pacer")}, true); err != nil {
				t.Error(err)
			}
			storetest.Sound(t, db.DB)
		})
	}
}

// engineName returns the name of the engine in the names of fixtures and folders.
func engineName() string {
	if storetest.OnPostgres() {
		return "pg"
	}
	return "sqlite"
}

// schemaNumbers returns the numbers of the migrations after which a database can exist, beginning with the first one
// that has a fixture.
func schemaNumbers(t *testing.T) []int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(engineName(), "migrations", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, file := range files {
		number, err := strconv.Atoi(strings.SplitN(filepath.Base(file), "_", 2)[0])
		if err != nil {
			t.Fatal(err)
		}
		if number >= map[string]int{"sqlite": 8, "pg": 9}[engineName()] {
			numbers = append(numbers, number)
		}
	}
	for _, added := range engine.AddedColumns() {
		numbers = append(numbers, added.Step)
	}
	if len(numbers) == 0 {
		t.Fatal("there are no migrations")
	}
	slices.Sort(numbers)
	return numbers
}

func fixtureOf(number int) string {
	return filepath.Join("testdata", "schemas", fmt.Sprintf("%s-%04d.gz", engineName(), number))
}

// writeFixture writes the fixture for the newest schema if it does not exist.
func writeFixture(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	image, err := storetest.Image(func(db *storetest.Database) error { return fillEverything(t, db) })
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(storetest.FromImage(t, image).Fixture(t))
	if err := errors.Join(err, w.Close(), os.WriteFile(path, packed.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func readFixture(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is missing: run: make generate", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

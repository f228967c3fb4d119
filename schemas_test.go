package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEveryMigrationHasAFixture holds that no schema number lands without a database of it, which
// TestEverySchemaOpens in store opens from then on, and that numbers only grow.
func TestEveryMigrationHasAFixture(t *testing.T) {
	for engine, first := range map[string]int{"sqlite": 8, "pg": 9} {
		files, err := filepath.Glob(filepath.Join("store", engine, "migrations", "*.sql"))
		if err != nil || len(files) == 0 {
			t.Fatalf("migrations of %s: %d, %v", engine, len(files), err)
		}
		last := 0
		for _, file := range files {
			number, err := strconv.Atoi(strings.SplitN(filepath.Base(file), "_", 2)[0])
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if number < first {
				continue
			}
			fixture := filepath.Join("store", "testdata", "schemas", fmt.Sprintf("%s-%04d.gz", engine, number))
			if _, err := os.Stat(fixture); err == nil {
				last = number
				continue
			}
			t.Errorf("%s has no fixture %s: number it as the last one (%d has landed), then run "+
				"make generate", file, fixture, last)
		}
	}
}

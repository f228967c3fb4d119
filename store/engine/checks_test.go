package engine_test

import (
	"slices"
	"testing"

	"toolcrib/store/engine"
)

func TestChecks(t *testing.T) {
	t.Parallel()
	text := "-- A file of checks.\n\n-- check names: It lacks: a subject.\n-- Why.\nSELECT name FROM names\n  WHERE subject = ';';\n\n" +
		"-- Another file.\n\n-- check live: It is gone.\nSELECT 1;\n"
	want := []engine.Check{
		{Table: "names", Query: "-- Why.\nSELECT name FROM names\n  WHERE subject = ';'", Message: "It lacks: a subject."},
		{Table: "live", Query: "SELECT 1", Message: "It is gone."},
	}
	if got := engine.Checks(text); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

package cli_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"toolcrib/cli"
)

// TestClockBehind checks the warning if the clock is behind the newest entry in the database (C71).
func TestClockBehind(t *testing.T) {
	c := newTestDB(t)
	at := func(now time.Time, args ...string) string {
		var out bytes.Buffer
		env := c.env(args, strings.NewReader(""), &out, &out)
		env.Now = func() time.Time { return now }
		cli.Main(t.Context(), env)
		return out.String()
	}
	const warning = "the clock of this machine shows 2016-01-01T00:00:00Z, but the newest entry of the database is from 2036-01-01T"
	future, past := time.Date(2036, 1, 1, 12, 0, 0, 0, time.UTC), time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	if out := at(future, "propose", absolute(t, "../testdata/scripts/sample.json"), "--as", "user:tester"); strings.Contains(out, "clock") {
		t.Error(out)
	}
	for _, args := range [][]string{{"list"}, {"doctor"}} {
		if out := at(past, args...); !strings.Contains(out, warning) {
			t.Errorf("%s: %s", args[0], out)
		}
		if out := at(future, args...); strings.Contains(out, "the clock of") {
			t.Errorf("%s: %s", args[0], out)
		}
	}
}

//go:build unix

package crash

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
)

// TestKilledAnywhere kills each act as a whole process at random moments, from
// its start to its end, as long as that takes on this machine: the database
// shows it whole or not at all, and it can be done again.
func TestKilledAnywhere(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for _, a := range acts() {
		t.Run(a.name, func(t *testing.T) {
			before := newTestDB(t)
			a.setup(t, before)
			kills, undone, late := blows(80, 1), 0, 0
			whole := a.lasts(t, before.copied(t))
			for n := range kills {
				c := before.copied(t)
				args := a.args(t, c)
				cmd := c.command(asToolcrib, args...)
				cmd.Stdin = strings.NewReader(a.stdin)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				timer := time.AfterFunc(time.Duration(random.Int64N(int64(whole))), func() { _ = cmd.Process.Kill() })
				if cmd.Wait() == nil {
					late++
				}
				timer.Stop()
				if a.check(t, c, n, args) {
					undone++
				}
			}
			figures.note(t, "kill -9 at a random moment of: "+a.name, kills, "%d times as if never begun, %d times too late to kill, else whole; then done again", undone, late)
		})
	}
}

// lasts does the act once and returns how long the process took.
func (a act) lasts(t *testing.T, c testDB) time.Duration {
	t.Helper()
	args := a.args(t, c)
	began := time.Now()
	if _, errs, code := c.run(a.stdin, args...); code != 0 {
		t.Fatalf("toolcrib %s: exit %d\n%s", strings.Join(args, " "), code, errs)
	}
	return time.Since(began)
}

//go:build unix

package crash

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestKilledAnywhere kills each act as a whole process at random moments, from
// its start to its end: the database shows it whole or not at all, and it can
// be done again.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for _, a := range acts() {
		t.Run(a.name, func(t *testing.T) {
			before := newCrib(t)
			a.setup(t, before)
			kills, undone, late := blows(80, 3), 0, 0
			for n := range kills {
				c := before.copied(t)
				args := a.args(t, c)
				cmd := c.command(asToolcrib, args...)
				cmd.Stdin = strings.NewReader(a.stdin)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				timer := time.AfterFunc(time.Duration(random.Int64N(int64(40*time.Millisecond))), func() { _ = cmd.Process.Kill() })
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

package workbench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// blows are the ways in which a terminal goes away.
var blows = map[string]func(p person) error{
	"the window is closed":   func(p person) error { return p.Shut(p.t.Context()) },
	"SIGHUP":                 func(p person) error { return syscall.Kill(p.PID(), syscall.SIGHUP) },
	"SIGTERM":                func(p person) error { return syscall.Kill(p.PID(), syscall.SIGTERM) },
	"the process is killed":  func(p person) error { return syscall.Kill(p.PID(), syscall.SIGKILL) },
	"killed when it is said": nil, // SIGKILL as soon as the screen shows that the version is live
}

// TestTerminalGoesAwayDuringApproval removes the terminal at random moments around the
// confirmation of an approval: once in each way, and repeatedly in the whole crash
// battery. Approvals that the screen showed are stored, all stored approvals are
// complete, and the others can be repeated.
func TestTerminalGoesAwayDuringApproval(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("TOOLCRIB_CRASH") != "" {
		rounds = 10
	}
	for name, blow := range blows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestDB(t)
			seed := rand.Uint64()
			random := rand.New(rand.NewPCG(seed, 1))
			reported, live := 0, 0
			for n := range rounds {
				id := fmt.Sprintf("pacer_%d", n)
				c.run("propose", "--as", "agent:drafter", c.file(id))
				acknowledged := c.struck(id, blow, time.Duration(random.Int64N(int64(25*time.Millisecond))))
				if acknowledged {
					reported++
				}
				if c.whole(id, acknowledged) {
					live++
				}
			}
			t.Logf("seed %d: %d approvals, %d on the screen as live before the blow, %d live", seed, rounds, reported, live)
		})
	}
}

// struck approves a proposal and takes the terminal away a moment later. It
// reports whether the screen had said that it is live.
func (c testDB) struck(id string, blow func(person) error, after time.Duration) bool {
	c.t.Helper()
	p := c.open(100, 30)
	p.asksToApprove(id)
	p.answers("y approve")
	if blow == nil {
		p.sees("Live: tool:user/" + id)
		if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
			c.t.Fatal(err)
		}
		p.ends()
		return true
	}
	<-time.After(after)
	screen, _ := p.Screen(c.t.Context()) // whoever is faster
	if err := blow(p); err != nil {
		c.t.Fatal(err)
	}
	p.ends()
	return strings.Contains(screen, "Live: ")
}

// asksToApprove reads the first revision of a proposal and presses a.
func (p person) asksToApprove(id string) {
	p.t.Helper()
	p.sees(id)
	p.press("Enter")
	p.sees("Rationale")
	p.press("2")
	p.sees("+9  new")
	p.press("a")
}

// whole checks that the approval of a tool happened altogether or not at all,
// and approves it when it did not. It reports whether it had happened.
func (c testDB) whole(id string, acknowledged bool) bool {
	c.t.Helper()
	var queue struct {
		Proposals []struct{ ID, State string }
	}
	c.read(&queue, "list", "--filter", id, "--json")
	if len(queue.Proposals) != 1 {
		c.t.Fatalf("%d proposals of %s", len(queue.Proposals), id)
	}
	p := queue.Proposals[0]
	var chain struct {
		Versions []struct{ Proposal string }
	}
	approved := p.State == "approved"
	if approved {
		c.read(&chain, "history", "tool:user/"+id, "--json")
	}
	switch {
	case acknowledged && !approved:
		c.t.Errorf("%s was said to be live and is %s", id, p.State)
	case approved && (len(chain.Versions) != 1 || chain.Versions[0].Proposal != p.ID):
		c.t.Errorf("%s is approved and has the versions %v", id, chain.Versions)
	case !approved && p.State != "user_review":
		c.t.Errorf("%s is %s", id, p.State)
	case !approved:
		c.run("--approve", p.ID, "--as", "user:mara")
	}
	c.run("verify")
	return approved
}

func (c testDB) read(doc any, args ...string) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.run(args...)), doc); err != nil {
		c.t.Fatal(err)
	}
}

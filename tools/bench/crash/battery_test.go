//go:build unix

package crash

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/failpoint"
)

// Roles of the test binary, selected by environment variables: toolcrib; an approver,
// which approves the ids on its standard input one by one as toolcrib does and
// acknowledges each; or a writer that, unlike toolcrib, does not sync each commit.
const (
	asToolcrib = "TOOLCRIB_BENCH_MAIN"
	asLoop     = "TOOLCRIB_BENCH_APPROVE"
	asUnsynced = "TOOLCRIB_BENCH_UNSYNCED"
)

// diesAt is the environment variable with the failpoint at which toolcrib is killed,
// and after "@" the pass, counted from 1: "statement@3".
const diesAt = "TOOLCRIB_BENCH_DIES_AT"

// wholeVariable makes the battery whole; without it, it is short.
const wholeVariable = "TOOLCRIB_CRASH"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asToolcrib) != "":
		if point, count, armed := strings.Cut(os.Getenv(diesAt), "@"); armed {
			n, err := strconv.ParseInt(count, 10, 64)
			if err != nil {
				panic(err)
			}
			failpoint.Arm(point, n)
		}
		os.Exit(cli.Main(context.Background(), process.System()))
	case os.Getenv(asLoop) != "":
		os.Exit(approveLoop())
	case os.Getenv(asUnsynced) != "":
		fmt.Fprintln(os.Stderr, unsyncedLoop(context.Background(), os.Args[1]))
		os.Exit(1)
	}
	flag.Parse()
	if testing.Short() {
		fmt.Println("the crash battery is left out: it runs whole processes, which -short and the race detector say nothing about")
		os.Exit(0)
	}
	code := m.Run()
	figures.print()
	os.Exit(code)
}

// blows is how often a battery strikes: whole in the whole battery, else
// short.
func blows(whole, short int) int {
	if os.Getenv(wholeVariable) != "" {
		return whole
	}
	return short
}

// table collects the results of the batteries, to be printed at the end.
type table struct {
	mu   sync.Mutex
	rows [][3]string
}

// figures counts the acts of this run. Tests run in one process and have no other
// place to leave it.
var figures table //nolint:gochecknoglobals // see above

// note adds a row: the kind of failure, the number of times, and the outcome.
func (f *table) note(t *testing.T, blow string, times int, outcome string, args ...any) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, [3]string{blow, fmt.Sprint(times), fmt.Sprintf(outcome, args...)})
}

func (f *table) print() {
	if !testing.Verbose() || len(f.rows) == 0 {
		return
	}
	fmt.Printf("\n| blow | times | outcome |\n| --- | ---: | --- |\n")
	for _, row := range f.rows {
		fmt.Printf("| %s |\n", strings.Join(row[:], " | "))
	}
	fmt.Println()
}

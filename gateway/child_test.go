package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// childVariable makes the test binary run an order on a database instead of the tests: "call FILE GOROUTINES CALLS",
// "approve FILE PENDING", which kills the process while the call runs, or "race FILE PENDING".
const childVariable = "TOOLCRIB_GATEWAY_CHILD"

func TestMain(m *testing.M) {
	if order := strings.Fields(os.Getenv(childVariable)); len(order) > 0 {
		if err := child(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startChild returns a command that runs an order in a process of the test binary.
func startChild(t *testing.T, order ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(order, " "))
	cmd.Stderr = os.Stderr
	return cmd
}

// runChildren runs an order in n concurrent processes and returns their outputs.
func runChildren(t *testing.T, n int, order ...string) []string {
	t.Helper()
	outs, waits := make([]strings.Builder, n), make([]func() error, n)
	for i := range n {
		cmd := startChild(t, order...)
		cmd.Stdout = &outs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waits[i] = cmd.Wait
	}
	printed := make([]string, n)
	for i, wait := range waits {
		if err := wait(); err != nil {
			t.Fatal(err)
		}
		printed[i] = outs[i].String()
	}
	return printed
}

// mortal is a provider that kills its process, like kill -9, before it has any effect.
type mortal struct{}

func (mortal) Run(context.Context, gateway.Invocation) (gateway.Output, error) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		return gateway.Output{}, err
	}
	select {} // the signal is on its way
}

func child(order []string) error {
	ctx := context.Background()
	now := storetest.NewClock().Now
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	db, err := store.Open(ctx, order[1], store.Options{Now: now, NewID: newID})
	if err != nil {
		return err
	}
	var provider gateway.Provider = &counter{}
	if order[0] == "approve" {
		provider = mortal{}
	}
	g, err := gateway.New(gateway.Config{
		Ledger: db.Calls(), Now: now, NewID: newID,
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: provider},
	})
	if err != nil {
		return err
	}
	if order[0] == "approve" {
		_, err := g.Approve(ctx, ada, order[2], "")
		return err
	}
	if order[0] == "race" {
		_, err := g.Approve(ctx, ada, order[2], "")
		if err == nil {
			fmt.Println("ran")
		}
		if errors.Is(err, proposals.ErrConflict) {
			err = nil
		}
		return errors.Join(err, db.Close())
	}
	goroutines, err := strconv.Atoi(order[2])
	if err != nil {
		return err
	}
	calls, err := strconv.Atoi(order[3])
	if err != nil {
		return err
	}
	ran, err := hammer(ctx, g, goroutines, calls)
	fmt.Println(ran)
	return errors.Join(err, db.Close())
}

// hammer calls get_weather from several goroutines and returns the number of successful calls. The only error it
// tolerates is that of the daily limit.
func hammer(ctx context.Context, g *gateway.Gateway, goroutines, calls int) (ran int, err error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range goroutines {
		wg.Go(func() {
			for range calls {
				_, e := g.Execute(ctx, caller(), request("get_weather", "{}"))
				mu.Lock()
				switch {
				case e == nil:
					ran++
				case !errors.Is(e, gateway.CodeDailyLimit):
					err = errors.Join(err, e)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return ran, err
}

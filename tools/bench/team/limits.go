package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Each of the processes makes fewer calls than are allowed, and all of them make more.
const (
	processes  = 8
	calls      = 4  // of each process, of each of the two tools
	dailyLimit = 13 // calls that may run in a day
	maxPending = 11 // calls that may wait for the user

	cooldown = 15 * time.Second // of a tool; all processes have called it by then
	rounds   = 3                // that all of them call it in, a cooldown apart
)

// limits makes all processes call the tool with a limit, and ask for calls that wait
// for the user, every two processes for the same ones. It fails unless exactly as
// many ran and wait as may.
func (t *team) limits(ctx context.Context) error {
	var ran atomic.Int64
	var drivers errgroup.Group
	for process := range processes {
		drivers.Go(func() error {
			for call := range calls {
				_, err := t.timed(ctx, "limited", "", "exec", "get_limited", "--agent", "skipper")
				if err == nil {
					ran.Add(1)
				}
				args := fmt.Sprintf(`{"harbour":"%d of %d"}`, call, process/2)
				_, waits := t.timed(ctx, "asked", "", "exec", "get_asked", "--agent", "skipper", "--args", args)
				if err := errors.Join(refused(err), refused(waits)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := drivers.Wait(); err != nil {
		return err
	}
	waiting, err := t.waitingCalls(ctx)
	fmt.Printf("%d of %d calls ran, %d may; %d of %d different calls wait, %d may\n",
		ran.Load(), processes*calls, dailyLimit, waiting, processes/2*calls, maxPending)
	if err == nil && (ran.Load() != dailyLimit || waiting != maxPending) {
		err = errors.New("a limit was counted wrongly")
	}
	return err
}

// rest makes all processes call the tool with a cooldown at once, again when the cooldown
// is over, and so on. It fails unless exactly one call of each round ran.
func (t *team) rest(ctx context.Context) error {
	for round := range rounds {
		began := time.Now()
		var ran atomic.Int64
		var drivers errgroup.Group
		for range processes {
			drivers.Go(func() error {
				_, err := t.timed(ctx, "resting", "", "exec", "get_resting", "--agent", "skipper")
				if err == nil {
					ran.Add(1)
				}
				return refused(err)
			})
		}
		err := drivers.Wait()
		ended := time.Now()
		fmt.Printf("%d of %d calls ran in round %d, 1 may\n", ran.Load(), processes, round+1)
		switch took := ended.Sub(began); {
		case err != nil:
			return err
		case took >= cooldown:
			return fmt.Errorf("a round took %s, and the cooldown is %s: too slow to count", took, cooldown)
		case ran.Load() != 1:
			return errors.New("a cooldown was counted wrongly")
		}
		if round < rounds-1 {
			time.Sleep(cooldown)
		}
	}
	return nil
}

// waitingCalls counts the calls that wait for the user. It fails when the user is
// asked the same twice.
func (t *team) waitingCalls(ctx context.Context) (int, error) {
	out, err := t.Run(ctx, "", "calls", "--json")
	if err != nil {
		return 0, err
	}
	var pending struct {
		Pending []struct {
			Args json.RawMessage `json:"args"`
		} `json:"pending"`
	}
	if err := json.Unmarshal(out, &pending); err != nil {
		return 0, err
	}
	asked := map[string]bool{}
	for _, p := range pending.Pending {
		if asked[string(p.Args)] {
			return 0, fmt.Errorf("the user is asked twice for %s", p.Args)
		}
		asked[string(p.Args)] = true
	}
	return len(asked), nil
}

// refused returns nil where a gate refused a call.
func refused(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 5 {
		return nil
	}
	return err
}

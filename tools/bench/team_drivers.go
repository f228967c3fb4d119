package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

func (t *team) propose(ctx context.Context) error {
	text := t.tool(fmt.Sprintf("get_harbour_%d", t.number.Add(1)), "auto_approve", 0, 0)
	out, err := t.timed(ctx, "propose", text, "propose", "-", "--json")
	if err != nil {
		return err
	}
	var made struct {
		Proposals []struct {
			ID string `json:"id"`
		} `json:"proposals"`
	}
	if err := json.Unmarshal(out, &made); err != nil || len(made.Proposals) != 1 {
		return fmt.Errorf("propose answered %s: %w", out, err)
	}
	select {
	case t.waiting <- made.Proposals[0].ID:
	default: // enough wait
	}
	return nil
}

// approve approves a proposal that waits, if one does within a second.
func (t *team) approve(ctx context.Context) error {
	select {
	case id := <-t.waiting:
		if _, err := t.timed(ctx, "approve", "", "approve", id); err != nil {
			return err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.approved[id] = time.Now()
	case <-time.After(time.Second):
	}
	return nil
}

// execute calls a tool without limits.
func (t *team) execute(ctx context.Context) error {
	_, err := t.timed(ctx, "exec", "", "exec", "get_free", "--agent", "skipper")
	return err
}

func (t *team) read(ctx context.Context) error {
	_, err := t.timed(ctx, "preview", "", "preview", "--agent", "assistant")
	_, more := t.timed(ctx, "list", "", "list")
	return errors.Join(err, more)
}

// overMCP searches for tools over one connection until a time, ten times a second.
func (t *team) overMCP(ctx context.Context, over time.Time) (err error) {
	cmd := t.command(ctx, "mcp", "--as", "agent:skipper", "--agent", "skipper")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	answers := bufio.NewReader(out)
	if err := ask(in, answers, 0, mcpHello); err != nil {
		return err
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	pace := time.NewTicker(time.Second / 10)
	defer pace.Stop()
	for id := 1; time.Now().Before(over); id++ {
		<-pace.C
		start := time.Now()
		if err := ask(in, answers, id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"harbour"}}}`, id)); err != nil {
			return err
		}
		t.note("mcp", time.Since(start))
	}
	return nil
}

// ask sends the request of an id and waits for its answer.
func ask(in io.Writer, answers *bufio.Reader, id int, request string) error {
	if _, err := io.WriteString(in, request+"\n"); err != nil {
		return err
	}
	for {
		line, err := answers.ReadBytes('\n')
		if err != nil {
			return err
		}
		var answer struct {
			ID    *int `json:"id"`
			Error any  `json:"error"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return err
		}
		if answer.ID != nil && *answer.ID == id {
			if answer.Error != nil {
				return fmt.Errorf("%s: %s", request, line)
			}
			return nil
		}
	}
}

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

// cool makes all processes call the tool with a cooldown at once, again when the cooldown
// is over, and so on. It fails unless exactly one call of each round ran.
func (t *team) cool(ctx context.Context) error {
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
	out, err := t.run(ctx, "", "calls", "--json")
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

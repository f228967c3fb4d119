package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"toolcrib/internal/failpoint"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store"
	"toolcrib/store/calls"
	"toolcrib/store/storetest"
)

// childVariable is the environment variable that turns the test binary into a child process of a test. It contains the
// task.
const childVariable = "TOOLCRIB_STORE_CHILD"

func TestMain(m *testing.M) {
	if task := os.Getenv(childVariable); task != "" {
		os.Exit(child(task, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// The exit codes of child processes in tests.
const (
	exitDone     = 0
	exitFailed   = 1
	exitConflict = 4
)

// child runs the task of a child process. The first argument is the database, and the second the series of its ids.
func child(task string, args []string) int {
	err := func() error {
		ctx := context.Background()
		series, err := strconv.ParseUint(args[1], 10, 16)
		if err != nil {
			return err
		}
		clock, ids := storetest.NewClock(), storetest.IDs(uint16(series))
		wait := func() { // until the test sends a line or exits
			fmt.Println("ready")
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
		if task == "open" {
			wait()
		}
		db, err := store.Open(ctx, args[0], store.Options{Now: clock.Now, NewID: ids})
		if err != nil {
			return err
		}
		policy := review.Policy{Severities: storetest.BasicSeverities()}
		if task == "endorse" {
			policy = twoApprove()
		}
		desk, err := service.New(db, policy, clock.Now, ids)
		if err != nil {
			return err
		}
		by := proposals.Actor{Kind: proposals.User, Name: "child" + args[1]}
		switch task {
		case "approve":
			wait()
			_, err = desk.Deciding.Approve(ctx, by, []review.Choice{{ID: proposals.ID(args[2])}}, "")
		case "prune": // with a crash at the step in its other arguments
			n, _ := strconv.ParseInt(args[4], 10, 64)
			clock.Forward(96 * time.Hour)
			failpoint.Arm(args[3], n)
			_, err = db.Calls().Prune(ctx, calls.PruneOrder{ID: ids(), By: by, Now: clock.Now(), Before: clock.Now().Add(-25 * time.Hour), File: func(int64, int64) string { return args[2] }})
		case "loop":
			err = approveForEver(ctx, desk, by, args[1])
		case "endorse":
			err = endorseForEver(ctx, desk, by, args[1])
		}
		return errors.Join(err, db.Close())
	}()
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, proposals.ErrState), errors.Is(err, proposals.ErrConflict):
		return exitConflict
	}
	fmt.Fprintln(os.Stderr, err)
	return exitFailed
}

// approveForEver creates new tools with several versions each. It acknowledges each approval with a line on standard
// output: the proposal, the subject, the version, and its hash.
func approveForEver(ctx context.Context, desk *service.Desk, by proposals.Actor, series string) error {
	for i := 0; ; i++ {
		draft := storetest.Prompt(fmt.Sprintf("tool_%s_%d", series, i))
		for version := range 3 {
			next := draft
			if version > 0 {
				next = storetest.Modify(draft, version, func(t *registry.Tool) { t.Prompt += fmt.Sprintf("\nVersion %d.", version+1) })
			}
			made, err := desk.Drafting.Propose(ctx, by, []proposals.Draft{next}, true)
			if err != nil {
				return err
			}
			decisions, err := desk.Deciding.Approve(ctx, by, []review.Choice{{ID: made[0].ID}}, "")
			if err != nil {
				return err
			}
			for _, d := range decisions {
				fmt.Println(d.Proposal, d.Subject, d.Version, d.VersionHash)
			}
		}
	}
}

// spawn returns the command that runs the test binary as a child.
func spawn(ctx context.Context, task string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), childVariable+"="+task)
	return cmd
}

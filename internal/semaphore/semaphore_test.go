package semaphore_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"toolcrib/internal/semaphore"
)

// TestShares checks both limits: of each holder and in total.
func TestShares(t *testing.T) {
	turn := semaphore.New(3, 2)
	for i, one := range []struct {
		who  string
		want bool
	}{{"ada", true}, {"ada", true}, {"ada", false}, {"bob", true}, {"bob", false}, {"kim", false}} {
		if got := turn.TryAcquire(one.who); got != one.want {
			t.Errorf("%d: %s enters: %v", i, one.who, got)
		}
	}
	turn.Release("ada")
	if !turn.TryAcquire("kim") || turn.Open() != 3 {
		t.Errorf("kim got no turn after one was returned; %d in use", turn.Open())
	}
}

// TestOrder checks that calls of one holder get their turns in order, and that
// another holder does not wait for them.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := semaphore.New(semaphore.Unlimited, 1)
		turn.TryAcquire("ada")
		var got []int
		for i := range 100 {
			go func() {
				if turn.Acquire(t.Context(), "ada") {
					got = append(got, i) // no lock: only one has a turn
					turn.Release("ada")
				}
			}()
			synctest.Wait()
		}
		if !turn.Acquire(t.Context(), "bob") {
			t.Error("bob has to wait for ada")
		}
		turn.Release("ada")
		synctest.Wait()
		if len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("the order is %v", got)
		}
		if turn.Open() != 1 {
			t.Errorf("%d turns in use, want the one of bob", turn.Open())
		}
	})
}

// TestCanceledWaitHoldsNothing cancels waiting calls, some at the moment when they
// get a turn.
func TestCanceledWaitHoldsNothing(t *testing.T) {
	for range 200 {
		turn := semaphore.New(semaphore.Unlimited, 1)
		turn.TryAcquire("ada")
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan bool)
		for range 3 {
			go func() { got <- turn.Acquire(ctx, "ada") }()
		}
		go cancel()
		turn.Release("ada")
		for range 3 {
			if <-got {
				turn.Release("ada")
			}
		}
		if turn.Open() != 0 {
			t.Fatalf("%d turns in use", turn.Open())
		}
	}
}

// TestOutside checks that a turn is returned during Outside and taken again
// afterwards.
func TestOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := semaphore.New(semaphore.Unlimited, 1)
		ctx, done, ok := turn.Hold(t.Context(), "ada")
		if !ok {
			t.Fatal("cannot get the first turn")
		}
		back, inner := semaphore.Outside(ctx), semaphore.Outside(ctx)
		other, otherDone, ok := turn.Hold(t.Context(), "ada")
		if !ok {
			t.Fatal("the turn was not returned")
		}
		inner() // the outer call of Outside is still in progress
		returned := false
		go func() {
			back()
			returned = true
		}()
		time.Sleep(time.Hour)
		if returned {
			t.Error("two callers have the same turn")
		}
		semaphore.Outside(other)
		synctest.Wait()
		if !returned || turn.Open() != 1 {
			t.Errorf("returned %v, %d turns", returned, turn.Open())
		}
		done()
		done()
		otherDone()
		if turn.Open() != 0 {
			t.Errorf("%d turns in use", turn.Open())
		}
		semaphore.Outside(t.Context())() // a context without a turn
	})
}

// TestEndWhileOutside ends work during Outside.
func TestEndWhileOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := semaphore.New(semaphore.Unlimited, 1)
		parent, cancel := context.WithCancel(t.Context())
		ctx, done, _ := turn.Hold(parent, "ada")
		back := semaphore.Outside(ctx)
		turn.TryAcquire("ada")
		cancel()
		back() // continues without a turn
		done()
		if turn.Open() != 1 {
			t.Errorf("%d turns in use, want the one of the other holder", turn.Open())
		}
		turn.Release("ada")
		if _, _, ok := turn.Hold(parent, "ada"); !ok {
			t.Error("a free turn was refused")
		}
		if _, _, ok := turn.Hold(parent, "ada"); ok {
			t.Error("a canceled caller got a turn that is in use")
		}
	})
}

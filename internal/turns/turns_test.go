package turns_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"toolcrib/internal/turns"
)

// TestShares has each holder take no more than its share, and all of them no more than
// there is.
func TestShares(t *testing.T) {
	turn := turns.New(3, 2)
	for i, one := range []struct {
		who  string
		want bool
	}{{"ada", true}, {"ada", true}, {"ada", false}, {"bob", true}, {"bob", false}, {"kim", false}} {
		if got := turn.Enter(one.who); got != one.want {
			t.Errorf("%d: %s enters: %v", i, one.who, got)
		}
	}
	turn.Leave("ada")
	if !turn.Enter("kim") || turn.Open() != 3 {
		t.Errorf("after one left, kim does not enter: %d", turn.Open())
	}
}

// TestOrder gives the turns of one holder in the order in which they were asked for,
// and those of another without a wait.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := turns.New(turns.Unlimited, 1)
		turn.Enter("ada")
		var got []int
		for i := range 100 {
			go func() {
				if turn.Wait(t.Context(), "ada") {
					got = append(got, i) // one at a time
					turn.Leave("ada")
				}
			}()
			synctest.Wait()
		}
		if !turn.Wait(t.Context(), "bob") {
			t.Error("bob waits for ada")
		}
		turn.Leave("ada")
		synctest.Wait()
		if len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("the order is %v", got)
		}
		if turn.Open() != 1 {
			t.Errorf("%d turns are left, of bob one", turn.Open())
		}
	})
}

// TestWhoGoesAwayHoldsNothing ends those who wait, at the moment when their turn comes
// too.
func TestWhoGoesAwayHoldsNothing(t *testing.T) {
	for range 200 {
		turn := turns.New(turns.Unlimited, 1)
		turn.Enter("ada")
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan bool)
		for range 3 {
			go func() { got <- turn.Wait(ctx, "ada") }()
		}
		go cancel()
		turn.Leave("ada")
		for range 3 {
			if <-got {
				turn.Leave("ada")
			}
		}
		if turn.Open() != 0 {
			t.Fatalf("%d turns are left", turn.Open())
		}
	}
}

// TestOutside gives a turn back while something else works, and waits for it again.
func TestOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := turns.New(turns.Unlimited, 1)
		ctx, done, ok := turn.Hold(t.Context(), "ada")
		if !ok {
			t.Fatal("there is no first turn")
		}
		back, inner := turns.Outside(ctx), turns.Outside(ctx)
		other, otherDone, ok := turn.Hold(t.Context(), "ada")
		if !ok {
			t.Fatal("the turn was not given back")
		}
		inner() // the outer one still waits for something else
		returned := false
		go func() {
			back()
			returned = true
		}()
		time.Sleep(time.Hour)
		if returned {
			t.Error("two work by one turn")
		}
		turns.Outside(other)
		synctest.Wait()
		if !returned || turn.Open() != 1 {
			t.Errorf("returned %v, %d turns", returned, turn.Open())
		}
		done()
		done()
		otherDone()
		if turn.Open() != 0 {
			t.Errorf("%d turns are left", turn.Open())
		}
		turns.Outside(t.Context())() // holds none
	})
}

// TestEndWhileOutside ends work whose turn was given back.
func TestEndWhileOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := turns.New(turns.Unlimited, 1)
		parent, cancel := context.WithCancel(t.Context())
		ctx, done, _ := turn.Hold(parent, "ada")
		back := turns.Outside(ctx)
		turn.Enter("ada")
		cancel()
		back() // goes on without one
		done()
		if turn.Open() != 1 {
			t.Errorf("%d turns; another has one", turn.Open())
		}
		turn.Leave("ada")
		if _, _, ok := turn.Hold(parent, "ada"); !ok {
			t.Error("a free turn is refused")
		}
		if _, _, ok := turn.Hold(parent, "ada"); ok {
			t.Error("who went away gets a turn that is taken")
		}
	})
}

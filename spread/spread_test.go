package spread_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"toolcrib/spread"
)

// TestEach calls for each number once, few and many of them.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 1000} {
		calls := make([]atomic.Int32, n)
		if err := spread.Each(n, func(i int) error { calls[i].Add(1); return nil }); err != nil {
			t.Error(err)
		}
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("%d of %d was called %d times", i, n, got)
			}
		}
	}
}

// TestEachFails returns the first of several errors, in the order of the
// numbers.
func TestEachFails(t *testing.T) {
	for _, n := range []int{5, 500} {
		first := errors.New("first")
		err := spread.Each(n, func(i int) error {
			switch {
			case i == 3:
				return first
			case i > 3:
				return fmt.Errorf("error %d", i)
			}
			return nil
		})
		if !errors.Is(err, first) {
			t.Errorf("of %d: %v", n, err)
		}
	}
}

// Package spread does many small things on all processors.
package spread

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls fn once for each number below n, on all processors when there
// are many. It returns the error of the lowest number that has one.
func Each(n int, fn func(i int) error) error {
	const few = 8 // below, the goroutines cost more than they spare
	workers := min(runtime.GOMAXPROCS(0), n)
	if n < few || workers < 2 {
		for i := range n {
			if err := fn(i); err != nil {
				return err
			}
		}
		return nil
	}
	failed := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				failed[i] = fn(i)
			}
		})
	}
	wait.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

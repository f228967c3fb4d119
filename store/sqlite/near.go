package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"

	"modernc.org/sqlite"

	"toolcrib/review/overlap"
	"toolcrib/store/engine"
)

// HasNear implements store.Searcher.
func (Search) HasNear() bool { return true }

// Near implements store.Searcher: the engine compares the blocks of sketches
// itself, and returns only near ones.
func (Search) Near(ctx context.Context, c *engine.Conn, n engine.Nearness, fn func(text, purpose []byte) error) error {
	query := fmt.Sprintf("SELECT coalesce(%[1]s(text, $1, $2, $3), x''), coalesce(%[1]s(purpose, $4, $5, $6), x'') FROM sketches ORDER BY block", nearFunction)
	return c.Each(ctx, query, []any{encoded(n.Text), n.LeastText, n.Most, encoded(n.Purpose), n.LeastPurpose, n.Most}, func(row engine.Scanner) error {
		var text, purpose []byte
		if err := row.Scan(&text, &purpose); err != nil {
			return err
		}
		return fn(text, purpose)
	})
}

// nearFunction is overlap.Near as a function of the engine: of blocks, a
// sketch, a resemblance and a number. The engine lends it a block where it has read it, which
// spares a copy of every block there is.
const nearFunction = "sketches_near"

// registerNear makes nearFunction known to every connection that is opened
// after it.
var registerNear = sync.OnceValue(func() error {
	return sqlite.RegisterFunction(nearFunction, &sqlite.FunctionImpl{
		NArgs: 4, Deterministic: true, VolatileArgs: true,
		Scalar: func(_ *sqlite.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
			blocks, isBlob := args[0].([]byte)
			stored, isSketch := args[1].([]byte)
			least, isShare := args[2].(float64)
			most, isCount := args[3].(int64)
			var sought overlap.Sketch
			if !isBlob || !isSketch || !isShare || !isCount || sought.UnmarshalBinary(stored) != nil {
				return nil, errors.New("expected blocks, a sketch, a resemblance and a number")
			}
			near, err := overlap.Near(blocks, sought, least, int(most))
			if err != nil { // loading the result reports the cause
				return slices.Clone(blocks), nil //nolint:nilerr // an error would lose its kind on its way through the engine
			}
			if near == nil {
				return nil, nil
			}
			return near, nil
		},
	})
})

// encoded returns a sketch as nearFunction takes it.
func encoded(s overlap.Sketch) []byte {
	b, _ := s.AppendBinary(nil) // which has no errors
	return b
}

package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/sqlite"
)

func openSource(ctx context.Context, name string) (reader, error) {
	if pg.IsURL(name) {
		return openServer(ctx, name)
	}
	return openFile(ctx, name)
}

func openTarget(ctx context.Context, name, genesis string) (writer, engine.CopyState, error) {
	begin := beginFile
	if pg.IsURL(name) {
		begin = beginServer
	}
	t, state, err := begin(ctx, name, genesis)
	if errors.Is(err, engine.ErrOtherCopy) {
		err = errors.Join(ErrOther, err)
	}
	return t, state, contended(err)
}

// contended gives an error its meaning where another process copies into the same
// target: it holds the file, or the copy on a server.
func contended(err error) error {
	held := []string{"55P03", "42P01", "40P01"} // it holds the copy, has finished it, or both begin it
	e := new(pgconn.PgError)
	if errors.As(err, &e) && slices.Contains(held, e.Code) || errors.Is((&sqlite.File{}).Describe(err), engine.ErrBusy) {
		return fmt.Errorf("%w: another process copies into the same target; let it end, then run the command again: %w", engine.ErrBusy, err)
	}
	return err
}

// closing closes what could not be used.
func closing(r reader, err error) error { return errors.Join(err, r.close()) }

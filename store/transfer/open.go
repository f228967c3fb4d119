package transfer

import (
	"context"
	"errors"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
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
	return t, state, err
}

// closing closes what could not be used.
func closing(r reader, err error) error { return errors.Join(err, r.close()) }

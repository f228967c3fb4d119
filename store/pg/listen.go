package pg

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Listen calls heard with 0 once it listens, and then with the number of the newest
// event of every commit, until ctx ends or the connection does. A server without
// LISTEN answers with an error at once.
func (s *Server) Listen(ctx context.Context, heard func(event int64)) (err error) {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, "LISTEN "+Channel); err != nil {
		return err
	}
	heard(0)
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if event, err := strconv.ParseInt(n.Payload, 10, 64); err == nil { // anybody may notify anything
			heard(event)
		}
	}
}

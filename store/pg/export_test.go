package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// MigrateWith is migrate with another seed than what toolcrib ships.
func MigrateWith(ctx context.Context, conn *pgx.Conn, seed func(context.Context, *pgx.Conn) error) ([]int, error) {
	return migrate(ctx, conn, seed)
}

package pg

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// MigrateWith is like migrate, but with different seed data.
func MigrateWith(ctx context.Context, conn *pgx.Conn, seed func(context.Context, *pgx.Conn) error) ([]int, error) {
	return migrate(ctx, conn, seed)
}

// Rights returns the rights on the schema, one per line.
func Rights(ctx context.Context, conn *pgx.Conn) (string, error) {
	made, _, err := rights(ctx, conn)
	return strings.Join(made, "\n") + "\n", err
}

// RightsMigrated returns the rights that the migrations grant.
func RightsMigrated() string { return rightsMigrated }

// StepNumbers returns the numbers of the migrations after the one that creates the roles, in order.
func StepNumbers() []int {
	all := steps()
	numbers := []int{seedStep}
	for _, s := range all[rolesStep+1:] {
		numbers = append(numbers, s.Number)
	}
	slices.Sort(numbers)
	return numbers
}

// SetLockWait sets the time after which a waiting transaction queries the holder of the lock.
func (s *Server) SetLockWait(d time.Duration) { s.lockWait = d }

package pg

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// MigrateWith is migrate with another seed than what toolcrib ships.
func MigrateWith(ctx context.Context, conn *pgx.Conn, seed func(context.Context, *pgx.Conn) error) ([]int, error) {
	return migrate(ctx, conn, seed)
}

// Rights are the rights on the schema, one a line.
func Rights(ctx context.Context, conn *pgx.Conn) (string, error) {
	made, _, err := rights(ctx, conn)
	return strings.Join(made, "\n") + "\n", err
}

// RightsMigrated are the rights that the migrations make.
func RightsMigrated() string { return rightsMigrated }

// StepNumbers returns the numbers of the steps after the roles, in order.
func StepNumbers() []int {
	all, err := steps()
	if err != nil {
		panic(err)
	}
	numbers := []int{seedStep}
	for _, s := range all[rolesStep+1:] {
		numbers = append(numbers, s.Number)
	}
	slices.Sort(numbers)
	return numbers
}

// SetLockWait sets the time after which a waiting transaction queries the holder of the lock.
func (s *Server) SetLockWait(d time.Duration) { s.lockWait = d }

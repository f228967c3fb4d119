package program

import (
	"context"
	"time"

	"toolcrib/review"
	"toolcrib/store/storetest"
)

// Fill makes a database with a crowd that the program's own rules assessed.
func Fill(ctx context.Context, path string, crowd storetest.Crowd) error {
	desk, err := review.New(nil, review.Policy{}, time.Now, nil)
	if err != nil {
		return err
	}
	crowd.Rules = desk.RulesVersion()
	return crowd.Fill(ctx, path)
}

package linear

import (
	"context"

	"toolcrib/tui"
)

// sign reads out the signer, the statement and the key, and asks the key: the user
// has confirmed the decision itself.
func (s *session) sign(_ context.Context, r tui.SignRequest) error {
	s.out.line(r.Line())
	return r.Run()
}

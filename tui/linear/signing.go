package linear

import (
	"context"

	"toolcrib/tui"
)

// sign tells who signs what with which key, and asks the key: the user has said yes
// to the decision itself.
func (s *session) sign(_ context.Context, r tui.SignRequest) error {
	s.out.line(r.Line())
	return r.Run()
}

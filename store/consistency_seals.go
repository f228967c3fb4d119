package store

import (
	"context"

	"toolcrib/history"
)

// ownerSeals reports users whose instructions are not those that were sealed.
func ownerSeals(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, `SELECT customer, "user", instructions, seal FROM owners ORDER BY id`, nil, func(row scanner) error {
		var customer, user, instructions, seal string
		if err := row.Scan(&customer, &user, &instructions, &seal); err != nil {
			return err
		}
		if seal != sealOfOwner(customer, user, instructions) {
			fn(history.Damage{Table: "owners", Key: user, Message: "The instructions used in prompts do not match their seal."})
		}
		return nil
	})
}

// workspaceSeals reports folders that were attached to another project.
func workspaceSeals(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, "SELECT dir, project, seal FROM workspaces ORDER BY dir", nil, func(row scanner) error {
		var dir, project, seal string
		if err := row.Scan(&dir, &project, &seal); err != nil {
			return err
		}
		if seal != sealOfWorkspace(dir, project) {
			fn(history.Damage{Table: "workspaces", Key: dir, Message: "The folder or its project does not match its seal."})
		}
		return nil
	})
}

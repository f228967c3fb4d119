package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"toolcrib/history"
	"toolcrib/signing/statement"
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

// signedSubjects reports statements that readers find by other subjects than they are
// about, or do not find. A statement that cannot be read is reported with the signatures.
func signedSubjects(ctx context.Context, s *session, fn func(history.Damage)) error {
	type key struct {
		signature int64
		about     string
	}
	wanted, wrong := map[key]bool{}, map[int64]bool{}
	err := s.Each(ctx, "SELECT seq, statement FROM signatures ORDER BY seq", nil, func(row scanner) error {
		var seq int64
		var text []byte
		if err := row.Scan(&seq, &text); err != nil {
			return err
		}
		st, err := statement.Decode(text)
		if err != nil {
			return nil //nolint:nilerr // nothing counts that refers to it
		}
		for _, about := range statement.About(st.Act) {
			wanted[key{seq, about}] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.Each(ctx, "SELECT signature, about FROM signed_subjects", nil, func(row scanner) error {
		var k key
		err := row.Scan(&k.signature, &k.about)
		if !wanted[k] {
			wrong[k.signature] = true
		}
		delete(wanted, k)
		return err
	})
	for k := range wanted {
		wrong[k.signature] = true
	}
	for _, seq := range slices.Sorted(maps.Keys(wrong)) {
		fn(history.Damage{Table: "signed_subjects", Key: fmt.Sprintf("signatures row %d", seq), Message: "Readers find the statement by other subjects than it is about."})
	}
	return err
}

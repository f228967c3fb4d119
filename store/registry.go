package store

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/registry"
)

const selectLive = `SELECT l.subject, l.version, l.content_hash, l.locked, v.definition
	FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version `

func scanLive(row scanner) (registry.Live, error) {
	var l registry.Live
	var subject, definition string
	if err := row.Scan(&subject, &l.Version, &l.ContentHash, &l.Locked, &definition); err != nil {
		return l, err
	}
	if err := into(&l.Subject, registry.ParseSubject, subject); err != nil {
		return l, err
	}
	return l, into(&l.Definition, func(s string) (registry.Definition, error) {
		return registry.DecodeDefinition(l.Subject.Kind, []byte(s))
	}, definition)
}

// Live implements review.RegistryReader.
func (s *session) Live(ctx context.Context, subject registry.Subject) (registry.Live, error) {
	found, err := all(ctx, s, scanLive, selectLive+"WHERE l.subject = ?", subject.String())
	if err == nil && len(found) == 0 {
		err = notFound("%s", subject)
	}
	if err != nil {
		return registry.Live{}, err
	}
	return found[0], nil
}

// ByName implements review.RegistryReader.
func (s *session) ByName(ctx context.Context, name string) ([]registry.Live, error) {
	return all(ctx, s, scanLive, selectLive+"WHERE l.subject IN (SELECT subject FROM names WHERE name = ?) ORDER BY l.subject", name)
}

// ByWire implements review.RegistryReader.
func (s *session) ByWire(ctx context.Context, name string) ([]registry.Live, error) {
	return all(ctx, s, scanLive, `SELECT l.subject, l.version, l.content_hash, l.locked, v.definition
		FROM versions v JOIN live l ON l.subject = v.subject AND l.version = v.number
		WHERE iif(json_valid(v.definition), v.definition ->> '$.provider.name', NULL) = ? ORDER BY l.subject`, name)
}

// InCategory implements review.RegistryReader.
func (s *session) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	return all(ctx, s, scanLive, selectLive+"WHERE l.kind = 'tool' AND l.category = ? AND l.category <> '' ORDER BY l.id, l.layer", category)
}

// ByLabel implements review.RegistryReader.
func (s *session) ByLabel(ctx context.Context, label string) ([]registry.Live, error) {
	return all(ctx, s, scanLive, selectLive+"WHERE l.kind = 'tool' AND l.name = ? ORDER BY l.subject", label)
}

// ByTag implements review.RegistryReader.
func (s *session) ByTag(ctx context.Context, prefix string) ([]registry.Live, error) {
	return all(ctx, s, scanLive, selectLive+"WHERE l.tag = ? AND l.tag <> '' ORDER BY l.subject", prefix)
}

// Agents implements review.RegistryReader.
func (s *session) Agents(ctx context.Context) ([]registry.Live, error) {
	return all(ctx, s, scanLive, selectLive+"WHERE l.kind = 'agent' ORDER BY l.id, l.layer")
}

// SetLive implements review.RegistryWriter.
func (s *session) SetLive(ctx context.Context, v history.Version, d registry.Definition) error {
	return s.setLive(ctx, v, d, false, s.addSketches)
}

// setLive is SetLive for what may be locked; keep keeps the sketches of a tool.
func (s *session) setLive(ctx context.Context, v history.Version, d registry.Definition, locked bool, keep func(context.Context, int64, registry.Tool) error) error {
	var n int64
	var err error
	args := []any{v.Number, v.ContentHash, d.Name(), "", "", "", "", "", d.Status()}
	var names []string
	if t := d.Tool; t != nil {
		approval := ""
		if t.Approval != nil {
			approval = string(t.Approval.Tier)
		}
		tag := ""
		if t.Tag != nil {
			tag = t.Tag.Prefix
		}
		args = []any{v.Number, v.ContentHash, t.Name, t.Kind, t.Category, t.Tier, approval, tag, d.Status()}
		names = append([]string{t.ID}, t.Aliases...)
	}
	if v.Number == 1 {
		n, err = s.exec(ctx, `
			INSERT INTO live (version, content_hash, name, tool_kind, category, tier, approval, tag, status, subject, kind, layer, id, locked)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			append(args, v.Subject.String(), v.Subject.Kind, v.Subject.Layer, v.Subject.ID, locked)...)
	} else {
		n, err = s.exec(ctx, `
			UPDATE live SET version = ?, content_hash = ?, name = ?, tool_kind = ?, category = ?, tier = ?, approval = ?, tag = ?, status = ?
			WHERE subject = ? AND version = ?`,
			append(args, v.Subject.String(), v.Number-1)...)
	}
	if err := changedOne(n, err, v.Subject.String()); err != nil {
		return err
	}
	if d.Tool != nil {
		if s.added.hash != v.Hash {
			return fmt.Errorf("version %d of %s is not the one that was written last", v.Number, v.Subject)
		}
		if err := keep(ctx, s.added.seq, *d.Tool); err != nil {
			return err
		}
	}
	var old []string
	if v.Number > 1 {
		if old, err = all(ctx, s, scanString, "SELECT name FROM names WHERE subject = ?", v.Subject.String()); err != nil {
			return err
		}
	}
	return s.setNames(ctx, v.Subject, old, names)
}

// setNames makes names what the subject is called instead of old, touching only
// what changes.
func (s *session) setNames(ctx context.Context, subject registry.Subject, old, names []string) error {
	for _, name := range old {
		if slices.Contains(names, name) {
			continue
		}
		if _, err := s.exec(ctx, "DELETE FROM names WHERE name = ? AND subject = ?", name, subject.String()); err != nil {
			return err
		}
	}
	for _, name := range names {
		if slices.Contains(old, name) {
			continue
		}
		if _, err := s.exec(ctx, "INSERT INTO names (name, subject) VALUES (?, ?)", name, subject.String()); err != nil {
			return fmt.Errorf("name %s: %w", name, err)
		}
	}
	return nil
}

func scanString(row scanner) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err
}

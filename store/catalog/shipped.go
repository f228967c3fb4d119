// This file writes the shipped definitions into a new database, and compares the stored core tools with
// the tools in the program.

package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Seeding configures Seed. Now and NewID provide the times and ids of the shipped definitions. CoreAlone
// restricts Seed to the core tools.
type Seeding struct {
	Now       func() time.Time
	NewID     func() string
	CoreAlone bool
}

// Seed writes the shipped definitions into the global layer, each as version 1 of its subject. It also
// writes the hashes of the core tools into the table core, which determines which tools are locked.
func Seed(ctx context.Context, s *session.Session, with Seeding) error {
	r, now := Registry{Session: s}, with.Now().UTC().Truncate(time.Microsecond)
	ship := func(d registry.Definition, locked bool) error {
		subject := registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}
		v, err := r.AddVersion(ctx, history.Version{
			Subject: subject, Number: 1, Definition: d.Canonical(),
			Author: "system", DecidedBy: "system", DecidedAt: now, Note: "shipped with toolcrib",
		})
		if err != nil {
			return err
		}
		if err := r.insertLive(ctx, []table.Columns{newLive(v, d, locked)}, newNames(subject, d)); err != nil {
			return err
		}
		sketches, err := sketchAll(*session.PerTransaction[addedVersions](s), []history.Version{v}, []registry.Definition{d})
		if err := errors.Join(err, r.addSketches(ctx, sketches)); err != nil {
			return err
		}
		return records.Log{Session: s}.AppendEvent(ctx, history.Event{ID: with.NewID(), At: now, Actor: "system", Act: "ship", Subject: subject.String(), Record: v.Hash})
	}
	for _, d := range shipped.Core() {
		if err := ship(d, true); err != nil {
			return err
		}
		if _, err := s.Exec(ctx, "INSERT INTO core (id, content_hash) VALUES ($1, $2)", d.ID(), d.Hash()); err != nil {
			return err
		}
	}
	if with.CoreAlone {
		return nil
	}
	for _, d := range slices.Concat(shipped.Assistant(), shipped.Lists(), shipped.Agents()) {
		if err := ship(d, false); err != nil {
			return err
		}
	}
	return nil
}

// CheckCore returns an error if a stored core tool differs from the core tool in the program. It does not
// repair a difference, because other data may have been changed as well.
func (s Registry) CheckCore(ctx context.Context) error {
	want := shipped.CoreHashes()
	missing := maps.Clone(want)
	err := s.Each(ctx, `
		SELECT c.id, c.content_hash, coalesce(l.version, 0), coalesce(l.locked, 0), coalesce(l.status, ''), coalesce(l.content_hash, ''), coalesce(v.definition, '')
		FROM core c
		LEFT JOIN live l ON l.subject = 'tool:global/' || c.id
		LEFT JOIN versions v ON v.subject = l.subject AND v.number = l.version`, nil,
		func(row table.Scanner) error {
			var id, coreHash, status, liveHash, definition string
			var version, locked int
			if err := row.Scan(&id, &coreHash, &version, &locked, &status, &liveHash, &definition); err != nil {
				return err
			}
			hash := want[id]
			if hash == "" || coreHash != hash || liveHash != hash || version != 1 || locked != 1 || status != string(registry.Active) ||
				registry.HashBytes([]byte(definition)) != hash {
				return tampered(id)
			}
			delete(missing, id)
			return nil
		})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return tampered(slices.Sorted(maps.Keys(missing))[0])
	}
	var overridden string // a tool that uses the name of a core tool
	// CROSS JOIN prevents the engine from scanning all names for core tools.
	err = s.Row(ctx, `SELECT coalesce(min(n.subject), '') FROM core c CROSS JOIN names n
		WHERE n.name = c.id AND n.subject <> 'tool:global/' || c.id`, nil, &overridden)
	if err == nil && overridden != "" {
		err = fmt.Errorf("%s uses the name of a core tool: %w", overridden, proposals.ErrTampered)
	}
	return err
}

func tampered(id string) error {
	return fmt.Errorf("core tool %s differs from the shipped definition: %w; toolcrib repaired nothing; restore a backup of the database, "+
		"or examine the difference with a database tool", id, proposals.ErrTampered)
}

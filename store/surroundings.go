package store

import (
	"context"
	"encoding/json"
	"slices"

	"toolcrib/registry"
	"toolcrib/review"
)

// Surroundings implements review.RegistryReader.
func (s *session) Surroundings(ctx context.Context, subjects []registry.Subject, names []string) (review.Surroundings, error) {
	around := review.Surroundings{Live: map[registry.Subject]registry.Live{}, Named: map[string][]registry.Subject{}}
	list, err := json.Marshal(names)
	if err != nil {
		return around, err
	}
	wanted := make([]string, 0, len(subjects))
	for _, subject := range subjects {
		wanted = append(wanted, subject.String())
	}
	const named = "SELECT n.name, n.subject FROM (SELECT DISTINCT value FROM json_each(?)) j CROSS JOIN names n ON n.name = j.value ORDER BY n.name, n.subject"
	err = s.each(ctx, named, []any{string(list)}, func(row scanner) error {
		var name, text string
		if err := row.Scan(&name, &text); err != nil {
			return err
		}
		var subject registry.Subject
		if err := into(&subject, registry.ParseSubject, text); err != nil {
			return err
		}
		around.Named[name] = append(around.Named[name], subject)
		wanted = append(wanted, text)
		return nil
	})
	if err != nil {
		return around, err
	}
	slices.Sort(wanted)
	found, err := s.liveOf(ctx, slices.Compact(wanted))
	for _, l := range found {
		around.Live[l.Subject] = l
	}
	return around, err
}

// undecoded is a live definition as it is stored.
type undecoded struct {
	registry.Live
	definition string
}

// liveOf returns what is in force of subjects, in no order.
func (s *session) liveOf(ctx context.Context, subjects []string) ([]registry.Live, error) {
	list, err := json.Marshal(subjects)
	if err != nil {
		return nil, err
	}
	rows, err := all(ctx, s, func(row scanner) (undecoded, error) {
		var u undecoded
		var subject string
		if err := row.Scan(&subject, &u.Version, &u.ContentHash, &u.Locked, &u.definition); err != nil {
			return u, err
		}
		return u, into(&u.Subject, registry.ParseSubject, subject)
	}, `SELECT l.subject, l.version, l.content_hash, l.locked, v.definition FROM json_each(?) j CROSS JOIN live l ON l.subject = j.value
		JOIN versions v ON v.subject = l.subject AND v.number = l.version`, string(list))
	if err != nil {
		return nil, err
	}
	found := make([]registry.Live, len(rows))
	for i := range rows {
		found[i] = rows[i].Live
		decode := func(s string) (registry.Definition, error) {
			return registry.DecodeDefinition(found[i].Subject.Kind, []byte(s))
		}
		if err := into(&found[i].Definition, decode, rows[i].definition); err != nil {
			return nil, err
		}
	}
	return found, nil
}

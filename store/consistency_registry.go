package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/registry"
)

// liveChecks find subjects whose live version is not the last one.
func liveChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"live", `SELECT l.subject FROM live l WHERE NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = l.subject AND v.number = l.version AND v.content_hash = l.content_hash)
			OR l.version <> (SELECT max(number) FROM versions WHERE subject = l.subject)`,
			"The live version is not the last approved one.",
		},
		{
			"live", `SELECT DISTINCT subject FROM versions WHERE subject NOT IN (SELECT subject FROM live)`,
			"There are versions, but nothing is live.",
		},
	}
}

// registryChecks compare the lock of the live registry with the core, and versions with
// the approvals that they count.
func registryChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"live", `SELECT subject FROM live WHERE locked <> CASE WHEN kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core) THEN 1 ELSE 0 END`,
			"Its lock is wrong: core tools, and only they, are locked.",
		},
		{
			// The decisions that approvals name are there; ids are in no other text.
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.approvals <> ''
			AND length(v.approvals) - length(replace(v.approvals, '"decision":', '')) <> 11 * (SELECT count(*) FROM decisions d
				WHERE d.proposal = v.proposal AND d.revision = v.revision AND d.verdict = 'endorsed' AND replace(v.approvals, d.id, '') <> v.approvals)`,
			"An approval that it counts is not recorded.",
		},
	}
}

// liveColumnsAgree reports subjects that lists show, or look up, otherwise than
// the definition of their live version has them.
func (f *facts) liveColumnsAgree(ctx context.Context, s *session, fn func(history.Damage)) error {
	names := liveNames{wanted: map[string]bool{}, unreadable: map[string]bool{}}
	query := "SELECT l.subject, l.kind, l.layer, l.id, l.name, l.tool_kind, l.category, l.tier, l.approval, l.tag, l.status, l.origin, l.source, l.size, v.definition " + liveFrom
	err := s.Each(ctx, query, nil, func(row scanner) error {
		var subject, kind, layer, id string
		var definition []byte
		var shown registry.Columns
		var size int
		err := row.Scan(&subject, &kind, &layer, &id, &shown.Name, &shown.ToolKind, &shown.Category, &shown.Tier, &shown.Approval, &shown.Tag, &shown.Status, &shown.Origin, &shown.Source, &size, &definition)
		if err != nil {
			return err
		}
		if !namesSubject(subject, kind, layer, id) {
			fn(history.Damage{Table: "live", Key: subject, Message: otherSubject})
		}
		of, _, _ := strings.Cut(subject, ":")
		derived := f.of(registry.Kind(of), definition)
		if derived.err != nil {
			names.unreadable[subject] = true
			return nil //nolint:nilerr // verification reports a version that cannot be read
		}
		if shown != derived.columns || size != len(definition) {
			fn(history.Damage{Table: "live", Key: subject, Message: "The values that lists show do not match its definition."})
		}
		for _, name := range derived.names {
			names.wanted[name+" of "+subject] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return names.compare(ctx, s, fn)
}

// liveNames are the ids and the aliases that live definitions have.
type liveNames struct {
	wanted     map[string]bool // "pace_scene of tool:user/scene_pacer"
	unreadable map[string]bool // subjects whose names are not known
}

// compare reports names that lookups find and definitions lack, and the reverse.
func (n liveNames) compare(ctx context.Context, s *session, fn func(history.Damage)) error {
	err := s.Each(ctx, "SELECT name, subject FROM names", nil, func(row scanner) error {
		var name, subject string
		if err := row.Scan(&name, &subject); err != nil {
			return err
		}
		key := name + " of " + subject
		if !n.wanted[key] && !n.unreadable[subject] {
			fn(history.Damage{Table: "names", Key: key, Message: "The live definition does not have this name."})
		}
		delete(n.wanted, key)
		return nil
	})
	for _, key := range slices.Sorted(maps.Keys(n.wanted)) {
		fn(history.Damage{Table: "names", Key: key, Message: "The live definition has this name, but the name does not point to it."})
	}
	return err
}

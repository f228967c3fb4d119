package store

import (
	"context"
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

// registryChecks compare the live registry with the definitions of its versions:
// the copied columns, the names, and the core lock; and versions with the
// approvals that they count. A definition is canonical
// JSON, so one without the text "aliases" has no aliases and is not parsed.
func registryChecks() []consistencyCheck {
	const inForce = `live l JOIN versions v ON v.subject = l.subject AND v.number = l.version`
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
		{
			"names", `SELECT n.name || ' of ' || n.subject FROM names n LEFT JOIN live l ON l.subject = n.subject
			LEFT JOIN versions v ON v.subject = l.subject AND v.number = l.version
			WHERE n.name IS DISTINCT FROM l.id AND n.name NOT IN (SELECT value FROM json_each(coalesce(v.definition, '{}'), '$.aliases'))`,
			"The live definition does not have this name.",
		},
		{
			"names", `SELECT l.id || ' of ' || l.subject FROM live l
			WHERE l.kind = 'tool' AND NOT EXISTS (SELECT 1 FROM names n WHERE n.name = l.id AND n.subject = l.subject)
			UNION ALL SELECT a.value || ' of ' || l.subject FROM ` + inForce + `, json_each(v.definition, '$.aliases') a
			WHERE l.kind = 'tool' AND instr(v.definition, '"aliases"') > 0
			AND NOT EXISTS (SELECT 1 FROM names n WHERE n.name = a.value AND n.subject = l.subject)`,
			"The live definition has this name, but the name does not point to it.",
		},
	}
}

// liveColumnsAgree reports subjects that lists show, or look up, otherwise than
// the definition of their live version has them.
func liveColumnsAgree(ctx context.Context, s *session, fn func(history.Damage)) error {
	query := "SELECT l.subject, l.kind, l.layer, l.id, l.name, l.tool_kind, l.category, l.tier, l.approval, l.tag, l.status, l.origin, l.source, v.definition " + liveFrom
	return s.Each(ctx, query, nil, func(row scanner) error {
		var subject, kind, layer, id, definition string
		var shown registry.Columns
		err := row.Scan(&subject, &kind, &layer, &id, &shown.Name, &shown.ToolKind, &shown.Category, &shown.Tier, &shown.Approval, &shown.Tag, &shown.Status, &shown.Origin, &shown.Source, &definition)
		if err != nil {
			return err
		}
		if !namesSubject(subject, kind, layer, id) {
			fn(history.Damage{Table: "live", Key: subject, Message: otherSubject})
		}
		of, _, _ := strings.Cut(subject, ":")
		d, err := registry.DecodeDefinition(registry.Kind(of), []byte(definition))
		if err != nil {
			return nil //nolint:nilerr // verification reports a version that cannot be read
		}
		if shown != d.Columns() {
			fn(history.Damage{Table: "live", Key: subject, Message: "The values that lists show do not match its definition."})
		}
		return nil
	})
}

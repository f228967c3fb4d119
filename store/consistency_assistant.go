package store

import (
	"context"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
)

// assistantChecks compare the counters and the search index of the assistant's data
// with its rows, and find references between rows of different users.
func assistantChecks() []consistencyCheck {
	const counted = `SELECT owner, substr(due, 1, 10) AS day, count(*) AS n FROM tasks WHERE status = 'open' AND deleted_at = '' GROUP BY 1, 2`
	const linked = `SELECT count(DISTINCT l.memory) FROM memory_links l JOIN memories m ON m.id = l.memory
		WHERE l.target = e.id AND l.deleted_at = '' AND m.deleted_at = ''`
	return []consistencyCheck{
		{
			"task_days", `SELECT coalesce(d.owner, c.owner) || ' ' || coalesce(d.day, c.day) FROM task_days d
			FULL JOIN (` + counted + `) c ON c.owner = d.owner AND c.day = d.day WHERE d.n IS DISTINCT FROM c.n`,
			"Its count of open tasks is wrong.",
		},
		{"entities", `SELECT e.id FROM entities e WHERE e.memories <> (` + linked + `) OR (e.deleted_at = '') <> (e.memories > 0)`, "Its count of linked memories is wrong."},
		{
			"entity_projects", `SELECT x.project || ' ' || x.entity FROM entity_projects x JOIN entities e ON e.seq = x.entity
			WHERE x.n <> (` + linked + ` AND m.project = x.project)`,
			"Its count of linked memories of the project is wrong.",
		},
		{"memories", `SELECT m.id FROM memories m WHERE (m.deleted_at = '') <> EXISTS (SELECT 1 FROM memories_text WHERE rowid = m.seq)`, "It is deleted and searches find it, or it exists and they do not."},
		{"entities", `SELECT e.id FROM entities e WHERE (e.deleted_at = '') <> EXISTS (SELECT 1 FROM entities_text WHERE rowid = e.seq)`, "It is deleted and searches find it, or it exists and they do not."},
		{
			"projects", `SELECT p.id FROM projects p WHERE EXISTS (SELECT 1 FROM tasks WHERE project = p.id AND owner <> p.owner)
			OR EXISTS (SELECT 1 FROM memories WHERE project = p.id AND owner <> p.owner)
			OR EXISTS (SELECT 1 FROM conversations WHERE project = p.id AND owner <> p.owner)`,
			"It has a part that belongs to another user.",
		},
		{
			"memory_links", `SELECT l.seq FROM memory_links l JOIN memories m ON m.id = l.memory WHERE l.deleted_at = '' AND (m.owner <> l.owner
			OR l.to_entity NOT IN (0, 1) OR l.to_entity = 1 AND NOT EXISTS (SELECT 1 FROM entities WHERE id = l.target AND owner = l.owner)
			OR l.to_entity = 0 AND NOT EXISTS (SELECT 1 FROM memories WHERE id = l.target AND owner = l.owner))`,
			"Its target is missing, or belongs to another user.",
		},
	}
}

// nameKeys reports projects and entities that are looked up by another name than
// they have.
func nameKeys(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, `SELECT 'projects', CAST(id AS text), name, name_key FROM projects UNION ALL SELECT 'entities', id, name, name_key FROM entities`, nil, func(row scanner) error {
		var table, id, name, key string
		if err := row.Scan(&table, &id, &name, &key); err != nil {
			return err
		}
		if want := map[string]func(string) string{"projects": builtin.NameKey, "entities": builtin.EntityKey}[table]; key != want(name) {
			fn(history.Damage{Table: table, Key: id, Message: "It is looked up by another name than it has."})
		}
		return nil
	})
}

package store

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
		{
			"projects", `SELECT p.id FROM projects p WHERE EXISTS (SELECT 1 FROM tasks WHERE project = p.id AND owner <> p.owner)
			OR EXISTS (SELECT 1 FROM memories WHERE project = p.id AND owner <> p.owner)
			OR EXISTS (SELECT 1 FROM conversations WHERE project = p.id AND owner <> p.owner)`,
			"It has a part that belongs to another user.",
		},
		{
			"memory_links", `SELECT l.seq FROM memory_links l JOIN memories m ON m.id = l.memory WHERE l.deleted_at = '' AND (m.owner <> l.owner
			OR l.to_entity = 1 AND NOT EXISTS (SELECT 1 FROM entities WHERE id = l.target AND owner = l.owner)
			OR l.to_entity = 0 AND NOT EXISTS (SELECT 1 FROM memories WHERE id = l.target AND owner = l.owner))`,
			"Its target is missing, or belongs to another user.",
		},
	}
}

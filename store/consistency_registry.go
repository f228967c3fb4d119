package store

// liveChecks find subjects whose live version is not the last one.
func liveChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"live", `SELECT l.subject FROM live l WHERE NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = l.subject AND v.number = l.version AND v.content_hash = l.content_hash)
			OR l.version <> (SELECT max(number) FROM versions WHERE subject = l.subject)`,
			"What is live is not the last approved version.",
		},
		{
			"live", `SELECT DISTINCT subject FROM versions WHERE subject NOT IN (SELECT subject FROM live)`,
			"There are versions, but nothing is live.",
		},
	}
}

// registryChecks compare the live registry with the definitions of its versions:
// the copied columns, the names, and the core lock. A definition is canonical
// JSON, so one without the text "aliases" has no aliases and is not parsed.
func registryChecks() []consistencyCheck {
	const inForce = `live l JOIN versions v ON v.subject = l.subject AND v.number = l.version`
	return []consistencyCheck{
		{
			"live", `SELECT subject FROM live WHERE locked <> (kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core))`,
			"The core lock is not where it belongs.",
		},
		{
			"live", `SELECT l.subject FROM ` + inForce + ` WHERE l.name <> coalesce(v.definition ->> '$.name', '')
			OR l.tool_kind <> iif(l.kind = 'tool', coalesce(v.definition ->> '$.kind', ''), '')
			OR l.category <> coalesce(v.definition ->> '$.category', '') OR l.tier <> iif(l.kind = 'tool', coalesce(v.definition ->> '$.tier', ''), '')
			OR l.approval <> coalesce(v.definition ->> '$.approval.tier', '') OR l.tag <> coalesce(v.definition ->> '$.tag.prefix', '') OR l.status <> coalesce(v.definition ->> '$.status', 'active')`,
			"What lists show of it is not what its definition says.",
		},
		{
			"names", `SELECT n.name || ' of ' || n.subject FROM names n LEFT JOIN live l ON l.subject = n.subject
			LEFT JOIN versions v ON v.subject = l.subject AND v.number = l.version
			WHERE n.name IS NOT l.id AND n.name NOT IN (SELECT value FROM json_each(coalesce(v.definition, '{}'), '$.aliases'))`,
			"The live definition does not have this name.",
		},
		{
			"names", `SELECT l.id || ' of ' || l.subject FROM live l
			WHERE l.kind = 'tool' AND NOT EXISTS (SELECT 1 FROM names n WHERE n.name = l.id AND n.subject = l.subject)
			UNION ALL SELECT a.value || ' of ' || l.subject FROM ` + inForce + `, json_each(v.definition, '$.aliases') a
			WHERE l.kind = 'tool' AND instr(v.definition, '"aliases"') > 0
			AND NOT EXISTS (SELECT 1 FROM names n WHERE n.name = a.value AND n.subject = l.subject)`,
			"The live definition has this name, but it does not lead there.",
		},
	}
}

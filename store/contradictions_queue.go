package store

// queueContradictions are about the proposals, which are not sealed: what the
// queue shows of each is what its last revision, its last assessment, its
// decisions and the log say.
func queueContradictions() []contradiction {
	return []contradiction{
		{
			"proposals", `SELECT p.id FROM proposals p WHERE (p.state = 'approved') <> EXISTS (SELECT 1 FROM decisions d
			WHERE d.proposal = p.id AND d.verdict = 'approved' AND d.revision = p.revision AND d.content_hash = p.content_hash)`,
			"Its state and its decisions do not agree.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p WHERE NOT EXISTS (SELECT 1 FROM revisions r
			WHERE r.proposal = p.id AND r.number = p.revision AND r.content_hash = p.content_hash)
			OR p.revision <> (SELECT max(number) FROM revisions WHERE proposal = p.id)
			OR (p.author, p.created_at) IS NOT (SELECT author, created_at FROM revisions WHERE proposal = p.id AND number = 1)`,
			"It is not what its revisions say.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
			WHERE p.type IS NOT r.draft ->> '$.type' OR p.subject IS NOT r.draft ->> '$.subject'
			OR p.base_version <> coalesce(r.draft ->> '$.baseVersion', 0) OR p.change_set <> coalesce(r.draft ->> '$.changeSet', '')
			OR p.title <> coalesce(nullif(r.draft ->> '$.definition.name', ''), p.subject_id)`,
			"What the queue shows of it is not what its last revision says.",
		},
		{
			"proposals", `SELECT q.id FROM (SELECT p.id, p.recommendation AS shown, p.findings, coalesce((SELECT a.seq FROM assessments a
				WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1), 0) AS last FROM proposals p) q
			LEFT JOIN assessments a ON a.seq = q.last
			WHERE q.shown <> coalesce(a.recommendation, '') OR q.findings <> coalesce(json_array_length(a.report, '$.findings'), 0)`,
			"What the queue shows of it is not what its last assessment says.",
		},
		{
			// The acts that move a proposal, and where to. A revision of what was
			// submitted goes back to the chief.
			"proposals", `SELECT p.id FROM proposals p WHERE p.state IS NOT (
				SELECT CASE e.act WHEN 'draft' THEN 'draft' WHEN 'submit' THEN 'chief_review' WHEN 'assess' THEN 'user_review'
					WHEN 'approve' THEN 'approved' WHEN 'needs-changes' THEN 'needs_changes' WHEN 'reject' THEN 'rejected' WHEN 'withdraw' THEN 'withdrawn'
					WHEN 'revise' THEN iif(p.issue > 0, 'chief_review', 'draft') END
				FROM events e WHERE e.proposal = p.id AND e.proposal <> ''
				AND e.act IN ('draft', 'submit', 'assess', 'approve', 'needs-changes', 'reject', 'withdraw', 'revise')
				ORDER BY e.seq DESC LIMIT 1)`,
			"Its state is not the one that the log leads to.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p LEFT JOIN issues i ON i.proposal = p.id WHERE p.issue <> coalesce(i.number, 0)`,
			"It does not have the issue that it says.",
		},
		{
			"counters", `SELECT coalesce(c.state, k.state) FROM (SELECT state, count(*) AS n FROM proposals GROUP BY state) c
			FULL JOIN counters k ON k.state = c.state WHERE coalesce(c.n, 0) <> coalesce(k.n, 0)`,
			"The counter is not the number of proposals.",
		},
	}
}

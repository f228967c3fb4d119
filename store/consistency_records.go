package store

import "strings"

// recordChecks compare the records with the log, which names each of them in table
// order and no other, and the versions with the decisions that approved them.
func recordChecks() []consistencyCheck {
	list := []consistencyCheck{
		{
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal <> '' AND NOT EXISTS (SELECT 1 FROM decisions d
			WHERE d.proposal = v.proposal AND d.verdict = 'approved' AND d.version = v.number AND d.version_hash = v.hash AND d.decided_by = v.decided_by)`,
			"No decision approved this version.",
		},
		{
			"versions", `SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.proposal = ''
			AND NOT EXISTS (SELECT 1 FROM events e WHERE e.record = v.hash AND e.record <> '')`,
			"It has no event.",
		},
		{
			"versions", `SELECT subject || ' version ' || number FROM (SELECT subject, number, seq, lag(seq, 1, 0) OVER (ORDER BY seq) AS before FROM versions) placed
			WHERE seq <> before + 1`,
			"It does not follow the version that was written before it.",
		},
		{
			"decisions", `SELECT d.subject || ' version ' || d.version FROM decisions d WHERE d.verdict = 'approved' AND NOT EXISTS (SELECT 1 FROM versions v
			WHERE v.subject = d.subject AND v.number = d.version AND v.hash = d.version_hash)`,
			"The version that this decision approved is missing.",
		},
	}
	sealed := "SELECT hash FROM versions UNION ALL SELECT hash FROM imports"
	for _, k := range plainRecords() {
		sealed += " UNION ALL SELECT seal FROM " + k.table
		list = append(
			list, consistencyCheck{
				k.table, "SELECT '" + k.table + " row ' || t.seq FROM " + k.table + " t WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.record = t.seal AND e.record <> '')",
				"It has no event.",
			}, consistencyCheck{
				k.table, strings.ReplaceAll(`SELECT 'TABLE row ' || seq FROM (SELECT t.seq, e.seq AS told,
					lag(t.seq, 1, 0) OVER in_order AS before, lag(e.seq) OVER in_order AS told_before
					FROM TABLE t LEFT JOIN events e ON e.record = t.seal AND e.record <> '' WINDOW in_order AS (ORDER BY t.seq)) placed
				WHERE seq <> before + 1 OR told <= told_before`, "TABLE", k.table),
				"Its place differs from that of its event.",
			},
		)
	}
	return append(list, consistencyCheck{
		"events", "SELECT 'event ' || seq FROM events WHERE record <> '' AND record NOT IN (" + sealed + ")",
		"Its record is missing.",
	})
}

package store

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/history"
	"toolcrib/internal/plaintext"
	"toolcrib/signing/statement"
)

// consistencyCheck is a query that returns the keys of damaged rows, and the
// sentence that describes the damage.
type consistencyCheck struct {
	table, query, message string
}

// Inconsistencies implements history.Ledger. A check that damage keeps from
// running is reported as damage and keeps no other from running.
func (l Ledger) Inconsistencies(ctx context.Context, deep bool, fn func(history.Damage)) error {
	blocks, err := l.sketchInspections(ctx, deep)
	if err != nil {
		return err
	}
	drafts, err := l.draftInspections(ctx)
	if err != nil {
		return err
	}
	checks := slices.Concat(registryChecks(), queueChecks(), callChecks(), assistantChecks(), importChecks())
	for _, c := range l.engine.IndexChecks() {
		checks = append(checks, consistencyCheck{c.Table, c.Query, c.Message})
	}
	return l.inspectAll(ctx, slices.Concat(inspections(checks), l.recomputed(), unsealedTexts(), blocks, drafts), fn)
}

// References implements history.Ledger. The checks of records and of the live
// registry are left out if the rows that were read have answered them already.
func (l Ledger) References(ctx context.Context, fn func(history.Damage)) error {
	var checks []consistencyCheck
	logged, err := l.recordsAreLogged(ctx)
	if err != nil {
		return err
	}
	if !logged {
		checks = recordChecks()
	}
	current, err := l.liveIsNewest(ctx)
	if err != nil {
		return err
	}
	if !current {
		checks = append(checks, liveChecks()...)
	}
	return l.inspectAll(ctx, inspections(checks), fn)
}

// inspectAll runs inspections in parallel, as far as there are sessions.
func (l Ledger) inspectAll(ctx context.Context, list []inspection, fn func(history.Damage)) error {
	answers := make([][]history.Damage, len(list))
	var running sync.WaitGroup
	for i, in := range list {
		running.Go(func() { answers[i] = l.inspect(ctx, in) })
	}
	running.Wait()
	for _, damage := range slices.Concat(answers...) {
		fn(damage)
	}
	return ctx.Err()
}

// inspection finds damage in a table.
type inspection struct {
	table string
	run   func(ctx context.Context, s *session, fn func(history.Damage)) error
}

// inspections returns checks as inspections that run their queries.
func inspections(checks []consistencyCheck) []inspection {
	list := make([]inspection, len(checks))
	for i, c := range checks {
		list[i] = inspection{c.table, func(ctx context.Context, s *session, fn func(history.Damage)) error {
			keys, err := all(ctx, s, scanValue[string], c.query)
			for _, key := range keys {
				fn(history.Damage{Table: c.table, Key: key, Message: c.message})
			}
			return err
		}}
	}
	return list
}

// recomputed returns the inspections that recompute stored values.
func (l Ledger) recomputed() []inspection {
	return []inspection{
		{"proposals", waivedCounts},
		{"live", l.facts.liveColumnsAgree},
		{"raws", rawContents},
		{"owners", ownerSeals},
		{"projects", nameKeys},
		{"signed_subjects", signedSubjects},
		{"workspaces", workspaceSeals},
	}
}

// inspect runs an inspection with the next free session and returns the damage.
func (l Ledger) inspect(ctx context.Context, in inspection) []history.Damage {
	var found []history.Damage
	err := l.use(ctx, func(s *session) error {
		return in.run(ctx, s, func(d history.Damage) { found = append(found, d) })
	})
	if err != nil {
		found = append(found, history.Damage{Table: in.table, Message: fmt.Sprintf("It cannot be compared with the other tables: %v.", err)})
	}
	return found
}

// recordsAreLogged reports whether the records and the log that were read name
// each other in order, and no row of a record is missing between others.
func (l Ledger) recordsAreLogged(ctx context.Context) (bool, error) {
	if !l.crossCheck.agrees() {
		return false, nil
	}
	whole := true
	err := l.use(ctx, func(s *session) error {
		for _, table := range append(recordNames(), versionTable) {
			var rows, first, last int64
			if err := s.Row(ctx, "SELECT count(*), coalesce(min(seq), 1), coalesce(max(seq), 0) FROM "+table, nil, &rows, &first, &last); err != nil {
				return err
			}
			whole = whole && first == 1 && rows == last
		}
		return nil
	})
	return whole && err == nil, ctx.Err()
}

// liveIsNewest reports whether the live registry has the newest version of every
// subject.
func (l Ledger) liveIsNewest(ctx context.Context) (bool, error) {
	if !l.crossCheck.complete[versionTable] {
		return false, nil
	}
	rows, agrees := 0, true
	err := l.use(ctx, func(s *session) error {
		return s.Plain(ctx, "SELECT subject, version, content_hash FROM live"+s.hints.notIndexed(), func(values []sqldriver.Value) error {
			var fields [3]string
			for i := range fields {
				var err error
				if fields[i], err = asText(values[i]); err != nil {
					return err
				}
			}
			rows++
			agrees = agrees && l.crossCheck.liveAgrees(fields[0], fields[1], fields[2])
			return nil
		})
	})
	return agrees && err == nil && rows == len(l.crossCheck.newest), ctx.Err()
}

// ownerSeals reports users whose instructions are not those that were sealed.
func ownerSeals(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, `SELECT customer, "user", instructions, seal FROM owners ORDER BY id`, nil, func(row scanner) error {
		var customer, user, instructions, seal string
		if err := row.Scan(&customer, &user, &instructions, &seal); err != nil {
			return err
		}
		if seal != sealOfOwner(customer, user, instructions) {
			fn(history.Damage{Table: "owners", Key: user, Message: "The instructions used in prompts do not match their seal."})
		}
		return nil
	})
}

// workspaceSeals reports folders that were attached to another project.
func workspaceSeals(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, "SELECT dir, project, seal FROM workspaces ORDER BY dir", nil, func(row scanner) error {
		var dir, project, seal string
		if err := row.Scan(&dir, &project, &seal); err != nil {
			return err
		}
		if seal != sealOfWorkspace(dir, project) {
			fn(history.Damage{Table: "workspaces", Key: dir, Message: "The folder or its project does not match its seal."})
		}
		return nil
	})
}

// signedSubjects reports statements that readers find by other subjects than they are
// about, or do not find. A statement that cannot be read is reported with the signatures.
func signedSubjects(ctx context.Context, s *session, fn func(history.Damage)) error {
	type key struct {
		signature int64
		about     string
	}
	wanted, wrong := map[key]bool{}, map[int64]bool{}
	err := s.Each(ctx, "SELECT seq, statement FROM signatures ORDER BY seq", nil, func(row scanner) error {
		var seq int64
		var text []byte
		if err := row.Scan(&seq, &text); err != nil {
			return err
		}
		st, err := statement.Decode(text)
		if err != nil {
			return nil //nolint:nilerr // nothing counts that refers to it
		}
		for _, about := range statement.About(st.Act) {
			wanted[key{seq, about}] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.Each(ctx, "SELECT signature, about FROM signed_subjects", nil, func(row scanner) error {
		var k key
		err := row.Scan(&k.signature, &k.about)
		if !wanted[k] {
			wrong[k.signature] = true
		}
		delete(wanted, k)
		return err
	})
	for k := range wanted {
		wrong[k.signature] = true
	}
	for _, seq := range slices.Sorted(maps.Keys(wrong)) {
		fn(history.Damage{Table: "signed_subjects", Key: fmt.Sprintf("signatures row %d", seq), Message: "Readers find the statement by other subjects than it is about."})
	}
	return err
}

// unsealedTextTables lists the unsealed tables with texts that no other check compares
// with a sealed one, as it does those of proposals, issues, live, and names. The texts of
// a sealed row are looked at when its seal is recomputed.
func unsealedTextTables() []string {
	return []string{
		"call_refusals", "conversations", "core", "entities", "history_files", "imports", "live_files", "memories", "memory_links",
		"owners", "pending_exports", "projects", "proposal_rules", "reminders", "schedules", "shown", "tasks", "workspaces",
	}
}

// unsealedTexts returns inspections that note rows with a text that cannot be stored
// today.
func unsealedTexts() []inspection {
	var list []inspection
	for _, table := range unsealedTextTables() {
		list = append(list, inspection{table, func(ctx context.Context, s *session, fn func(history.Damage)) error {
			return s.Plain(ctx, "SELECT * FROM "+table, func(values []sqldriver.Value) error {
				for _, value := range values {
					text, _ := value.(string)
					if plaintext.Problem(text) != "" {
						key, err := asText(values[0])
						fn(history.NotText(table, key))
						return err
					}
				}
				return nil
			})
		}})
	}
	return list
}

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

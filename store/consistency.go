package store

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"sync"

	"toolcrib/history"
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
		for _, table := range append(recordTables(), versionTable) {
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

package store

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/store/audit"
)

// Sound implements history.Prover: the pages of the file are read once, without
// the engine (see audit), while the engine checks the tables that are not read
// that way and answers the questions about them. Whatever is found ends it: the
// engine is then asked everything, and names what is wrong.
func (l Ledger) Sound(ctx context.Context, progress func(table string, rows int64)) (map[string]int64, bool) {
	rows, err := l.sound(ctx, progress)
	return rows, err == nil
}

func (l Ledger) sound(ctx context.Context, progress func(table string, rows int64)) (map[string]int64, error) {
	first, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	a, err := l.snapshot(ctx, first)
	if err != nil {
		l.free <- first
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	engine := make(chan struct{})
	ask := func() {
		defer close(engine)
		l.free <- first
		if err := l.engineSound(ctx, a.Left()); err != nil {
			cancel(err)
		}
	}
	if !a.asks { // no page has to be asked of the first session any more
		go ask()
	}
	rows, err := a.Run(ctx, a.file, a.facts, progress)
	if err != nil {
		cancel(err)
	}
	if a.asks {
		ask()
	}
	<-engine
	return rows, context.Cause(ctx)
}

// take waits for a session that nobody uses.
func (l Ledger) take(ctx context.Context) (*session, error) {
	select {
	case s := <-l.free:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// errDamage says that the engine found something.
var errDamage = errors.New("the engine finds damage")

// engineSound has the engine check what is not read by pages. left are tables.
func (l Ledger) engineSound(ctx context.Context, left []string) error {
	found := false
	damage := func(history.Damage) { found = true }
	err := l.use(ctx, func(s *session) error {
		if err := errors.Join(s.checkCore(ctx), s.schemaDrift(ctx, damage), s.readTextIndex(ctx)); err != nil {
			return err
		}
		for _, table := range left {
			answers, err := all(ctx, s, scanString, fmt.Sprintf("PRAGMA integrity_check(%q)", table))
			if err != nil {
				return err
			}
			found = found || len(answers) != 1 || answers[0] != "ok"
		}
		return errors.Join(s.waivedCounts(ctx, damage), s.rawContents(ctx, damage))
	})
	for _, questions := range [][]contradiction{callContradictions(), assistantContradictions(), importContradictions()} {
		for _, c := range questions {
			if err != nil || found {
				break
			}
			found = len(l.ask(ctx, c)) > 0
		}
	}
	if err == nil && found {
		err = errDamage
	}
	return errors.Join(err, ctx.Err())
}

// seals says what the seals of the tables of history cover.
func seals() []audit.Seal {
	list := []audit.Seal{
		{
			Table: versionTable, Format: history.VersionFormat, Columns: columnsOf(sealedVersionColumns)[:16],
			Column: "hash", Prev: "prev_hash", Text: "definition", TextHash: "content_hash",
		},
		chained(eventTable, history.EventFormat, eventColumns),
		chained(callTable, callFormat, callColumns),
		chained(outcomeTable, outcomeFormat, outcomeColumns),
	}
	for _, k := range plainRecords() {
		list = append(list, audit.Seal{Table: k.table, Format: k.format, Columns: columnsOf(k.columns), Column: "seal"})
	}
	return list
}

// chained is the seal of a table whose rows form one chain: the last of its
// columns is the seal, the one before it the seal of the row before.
func chained(table, format, columns string) audit.Seal {
	list := columnsOf(columns)
	n := len(list)
	return audit.Seal{Table: table, Format: format, Columns: list[:n-1], Column: list[n-1], Prev: list[n-2]}
}

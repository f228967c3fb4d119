package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"toolcrib/history"
)

// Dataset describes the content of a generated database, in addition to the shipped definitions. The content is
// consistent and identical in each run. SQL statements write it in a few microseconds per row; the desk would take
// hours.
type Dataset struct {
	Tools    int // live prompt tools in the user layer, each from an approved proposal
	Waiting  int // proposals of new tools that wait for the user's decision
	Versions int // further versions of the tools, in rotation and without proposals; about a kilobyte each
	// Rules is the version of the rules and policy for assessments, as returned by service.Desk.RulesVersion. Proposals
	// assessed with other rules cannot be approved.
	Rules string
}

// Fill creates a database at path and writes the content that c describes.
func (c Dataset) Fill(ctx context.Context, path string) error {
	image, err := freshFile()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", (&url.URL{
		Scheme: "file", OmitHost: true, Path: path,
		RawQuery: "_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=cache_size(-200000)&_pragma=temp_store(MEMORY)",
	}).String())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = c.write(ctx, db)
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	}
	return errors.Join(err, db.Close())
}

func (c Dataset) write(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // an error is already being returned, or the transaction was committed
	locks, err := dropTriggers(ctx, tx)
	if err != nil {
		return err
	}
	l := &loader{ctx: ctx, tx: tx, stmts: map[string]*sql.Stmt{}, rules: c.Rules, now: time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC)}
	if err := l.begin(); err != nil {
		return err
	}
	for n := range c.Tools {
		if err := l.approved(n); err != nil {
			return err
		}
	}
	for n := range c.Waiting {
		if err := l.waiting(c.Tools + n); err != nil {
			return err
		}
	}
	if err := l.addVersions(c.Tools, c.Versions); err != nil {
		return err
	}
	if err := l.end(); err != nil {
		return err
	}
	for _, statement := range locks {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return tx.Commit()
}

// dropTriggers drops the triggers and indexes, which cost more than all the rows, and returns the statements that recreate
// them.
func dropTriggers(ctx context.Context, tx *sql.Tx) ([]string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL ORDER BY type")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var drops, locks []string
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return nil, err
		}
		drops, locks = append(drops, "DROP "+kind+" "+name), append(locks, text)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for _, drop := range drops {
		if _, err := tx.ExecContext(ctx, drop); err != nil {
			return nil, err
		}
	}
	return locks, nil
}

// addVersions writes further versions of the tools, in rotation.
func (l *loader) addVersions(tools, versions int) error {
	last := make([]history.Version, 0, tools)
	for n := range versions {
		number := 2 + n/tools
		var v history.Version
		if number == 2 {
			v = l.versions[n]
		} else {
			v = last[n%tools]
		}
		v = history.Version{
			Subject: v.Subject, Number: number, PrevHash: v.Hash, Definition: []byte(l.definition(v.Subject.ID, l.words.text(n, 25))),
			Author: "system", DecidedBy: "system", DecidedAt: l.tick(), Note: "shipped",
		}
		if err := l.version(&v); err != nil {
			return err
		}
		if err := l.event("ship", v.Subject.String(), "", 0, v.Hash, "{}"); err != nil {
			return err
		}
		v.Definition = nil
		if number == 2 {
			last = append(last, v)
		} else {
			last[n%tools] = v
		}
	}
	if versions == 0 {
		return nil
	}
	_, err := l.tx.ExecContext(l.ctx, `UPDATE live SET (version, content_hash, size) = (SELECT number, content_hash, length(CAST(definition AS BLOB)) FROM versions v
		WHERE v.subject = live.subject ORDER BY number DESC LIMIT 1) WHERE layer = 'user'`)
	return err
}

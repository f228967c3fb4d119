package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store"
)

// transactionsAtOnce is how many approvals are timed together, each in a
// transaction of its own.
const transactionsAtOnce = 50

// transactions sets one approval inside a process beside the C library: the
// shell of sqlite3 writes the rows that the desk has just written, into a copy
// of the same database, with the same indexes and triggers and synced as often.
// It neither reads nor decides anything, and its statements are not prepared
// before; when it starts and ends is not counted.
func (b bench) transactions(c *crib, n int) operation {
	pair := sync.OnceValues(func() (*twins, error) { return c.twins() })
	op := operation{name: "approve, inside a process", size: strconv.Itoa(n), contenders: []contender{{
		name: "toolcrib", shown: "review.Desk.Approve", time: func(ctx context.Context, _ int) (time.Duration, error) {
			t, err := pair()
			if err != nil {
				return 0, err
			}
			return t.approve(ctx)
		},
	}}}
	if has("sqlite3") {
		op.contenders = append(op.contenders, contender{
			name: "sqlite3", shown: "sqlite3 (the same rows and indexes, FULL)", time: func(ctx context.Context, _ int) (time.Duration, error) {
				t, err := pair()
				if err != nil {
					return 0, err
				}
				return t.replay(ctx)
			},
		})
	}
	return op
}

// twins are two copies of a database: the desk approves in one what the shell
// then writes into the other.
type twins struct {
	crib
	other  string         // the path of the one that the shell writes
	last   []proposals.ID // what was approved last
	decide func(ctx context.Context, id proposals.ID) error
}

func (c *crib) twins() (*twins, error) {
	t := &twins{crib: crib{b: c.b, path: c.path + ".desk"}, other: c.path + ".shell"}
	if err := errors.Join(copyFile(t.path, c.path), copyFile(t.other, c.path)); err != nil {
		return nil, err
	}
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	db, err := store.Open(context.Background(), t.path, store.Options{Now: time.Now, NewID: newID})
	if err != nil {
		return nil, err
	}
	desk, err := review.New(db, review.Policy{}, time.Now, newID)
	if err != nil {
		return nil, err
	}
	page, err := desk.List(context.Background(), review.Query{State: proposals.UserReview, Limit: review.MaxPage})
	if err != nil {
		return nil, err
	}
	for _, p := range page.Proposals {
		t.waiting = append(t.waiting, string(p.ID))
	}
	t.decide = func(ctx context.Context, id proposals.ID) error {
		_, err := desk.Approve(ctx, proposals.Actor{Kind: proposals.User, Name: "mara"}, []review.Choice{{ID: id}}, "")
		return err
	}
	return t, nil
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// approve returns what one approval takes.
func (t *twins) approve(ctx context.Context) (time.Duration, error) {
	if len(t.waiting) < transactionsAtOnce {
		return 0, fmt.Errorf("%d proposals are left to approve, and %d are timed together; ask for fewer runs", len(t.waiting), transactionsAtOnce)
	}
	t.last = t.last[:0]
	for _, id := range t.waiting[:transactionsAtOnce] {
		t.last = append(t.last, proposals.ID(id))
	}
	t.waiting = t.waiting[transactionsAtOnce:]
	start := time.Now()
	for _, id := range t.last {
		if err := t.decide(ctx, id); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / transactionsAtOnce, nil
}

// settings are the pragmas of the connection that approves. What a shell would
// do besides when it ends is left out.
const settings = ".dbconfig no_ckpt_on_close on\nPRAGMA foreign_keys=1; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384;\n"

// replay returns what the shell takes for one of the approvals made last.
func (t *twins) replay(ctx context.Context) (time.Duration, error) {
	var ask strings.Builder
	for _, id := range t.last {
		ask.WriteString(rowsOf(string(id)))
	}
	rows, err := output(ctx, t.b.dir, ask.String(), "sqlite3", t.path)
	if err != nil {
		return 0, err
	}
	shell := command{argv: []string{"sqlite3", "-bail", t.other}, dir: t.b.dir}
	empty, err := shell.with(settings).run(ctx)
	if err != nil {
		return 0, err
	}
	full, err := shell.with(settings + rows).run(ctx)
	return (full - empty) / transactionsAtOnce, err
}

// rowsOf asks the shell for the statements that write what the approval of a
// proposal wrote, in that order.
func rowsOf(id string) string {
	const approval = " FROM decisions d JOIN versions v ON v.subject = d.subject AND v.number = d.version "
	where := " WHERE d.proposal = '" + id + "' AND d.verdict = 'approved';\n"
	var b strings.Builder
	b.WriteString(".mode list\nSELECT 'BEGIN IMMEDIATE;';\n")
	for _, t := range []struct{ table, columns, join string }{
		{"versions", "v.*", ""},
		{"live", "l.*", "JOIN live l ON l.subject = d.subject"},
		{"names", "n.*", "JOIN names n ON n.subject = d.subject"},

		{"recent_sketches", "r.*", "JOIN recent_sketches r ON r.seq = v.seq"}, // none when a block has just been completed
		{"decisions", "d.*", ""},
		{"events", "e.*", "JOIN events e ON e.record = d.seal"},
	} {
		b.WriteString(".mode insert " + t.table + "\nSELECT " + t.columns + approval + t.join + where)
	}
	b.WriteString(".mode list\nSELECT 'UPDATE proposals SET state = ''approved'', updated_at = ''' || d.decided_at || ''' WHERE id = ''' || d.proposal || ''' AND state = ''user_review'' AND revision = ' || d.revision || ';'" + approval + where)
	b.WriteString("SELECT 'UPDATE issues SET assignee = '''', status = ''closed'' WHERE proposal = ''' || d.proposal || ''';'" + approval + where)
	b.WriteString("SELECT 'COMMIT;';\n")
	return b.String()
}

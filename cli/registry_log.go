package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
)

// docEvent is one entry of the audit log.
type docEvent struct {
	Seq      int64           `json:"seq"`
	ID       string          `json:"id"`
	At       time.Time       `json:"at"`
	Actor    string          `json:"actor"`
	Act      string          `json:"act"`
	Subject  string          `json:"subject"`
	Proposal string          `json:"proposal"`
	Revision int             `json:"revision"`
	Record   string          `json:"record"`
	Data     json.RawMessage `json:"data"`
	PrevHash string          `json:"prev_hash"`
	Hash     string          `json:"hash"`
}

type docEventList struct {
	docHead
	Events []docEvent `json:"events"`
	Next   int64      `json:"next,omitempty"`
}

func newLog(a *app) *cobra.Command {
	q := store.EventQuery{}
	cmd := &cobra.Command{
		Use:     "log [ID | SUBJECT]",
		Aliases: []string{"audit"},
		Short:   "Show the audit log, newest first",
		Long: `Show events: time, actor, act, proposal, and subject, for everything or for one
proposal or subject. Every entry holds the hash of the previous one; toolcrib
verify recomputes the chain. Tool calls have their own log: toolcrib calls log.`,
		Example: `  toolcrib log
  toolcrib log 4
  toolcrib log tool:user/scene_pacer --limit 10 --json`,
		Args: between(0, 1, "at most the number of a proposal or a subject"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLog(cmd.Context(), a, q, args)
		},
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 50, "at most `N` entries")
	cmd.Flags().Int64Var(&q.Before, "before", 0, "only entries before number `N`")
	return cmd
}

// logOf confines q to the proposal or the subject that ref names.
func (a *app) logOf(ctx context.Context, desk *review.Desk, ref string, q *store.EventQuery) error {
	if subject, err := registry.ParseSubject(ref); err == nil {
		q.Subject = subject.String()
		return nil
	}
	ids, err := a.ids(ctx, desk, []string{ref})
	if errors.Is(err, review.ErrNotFound) {
		if subject, noSubject := a.subject(ctx, ref); noSubject == nil {
			q.Subject = subject.String()
			return nil
		}
	}
	if err != nil {
		return err
	}
	if len(ids) != 1 {
		return usagef("%s names %d proposals; name one", ref, len(ids))
	}
	q.Proposal = string(ids[0])
	return nil
}

func runLog(ctx context.Context, a *app, q store.EventQuery, args []string) error {
	if q.Limit < 1 || q.Limit > review.MaxPage {
		return usagef("--limit is %d; write 1 to %d", q.Limit, review.MaxPage)
	}
	desk, err := a.openDesk(ctx)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		if err := a.logOf(ctx, desk, args[0], &q); err != nil {
			return err
		}
	}
	limit := q.Limit
	q.Limit++
	events, err := a.db.Events(ctx, q)
	if err != nil {
		return err
	}
	doc := docEventList{docHead: head("event.list")}
	if len(events) > limit {
		events = events[:limit]
		doc.Next = events[limit-1].Seq
	}
	doc.Events = mapped(events, func(e history.Event) docEvent {
		return docEvent{
			Seq: e.Seq, ID: e.ID, At: e.At, Actor: e.Actor, Act: e.Act, Subject: e.Subject, Proposal: e.Proposal,
			Revision: e.Revision, Record: e.Record, Data: e.Data, PrevHash: e.PrevHash, Hash: e.Hash,
		}
	})
	return a.print(doc, func(p *page) {
		p.list([]string{"ENTRY", "TIME", "ACTOR", "ACT", "SUBJECT", "DATA"}, mapped(events, func(e history.Event) []string {
			return []string{itoa(int(e.Seq)), timestamp(e.At), e.Actor, e.Act, p.cut(e.Subject, 44), string(e.Data)}
		}))
		if doc.Next > 0 {
			p.remark("More: --before %d", doc.Next)
		}
	})
}

package cli

import (
	"context"
	"fmt"
	"time"

	"toolcrib/tui/wording"
)

// docPublished is how far the publication of checkpoints has come.
type docPublished struct {
	To        string `json:"to"`
	Size      int64  `json:"size"`         // events of the newest; 0 for none
	At        string `json:"at,omitempty"` // when it was published
	Age       int64  `json:"age_seconds"`  // of it
	Decisions int    `json:"unpublished"`  // decisions after it
}

func (d docPublished) text() string {
	if d.Size == 0 {
		return fmt.Sprintf("none published to %s yet; toolcrib checkpoint --publish does", d.To)
	}
	text := fmt.Sprintf("%d events, published %s ago to %s", d.Size, wording.Age(time.Duration(d.Age)*time.Second), d.To)
	if d.Decisions > 0 {
		text += fmt.Sprintf("; %s since", counted(d.Decisions, "decision"))
	}
	return text
}

// published returns how far publication has come.
func (a *app) published(ctx context.Context) (docPublished, error) {
	p, err := a.checkpointPublisher()
	if err != nil {
		return docPublished{}, err
	}
	s, err := p.Status(ctx)
	doc := docPublished{To: p.To, Size: s.Size, Decisions: s.Decisions}
	if !s.At.IsZero() {
		doc.At, doc.Age = timestamp(s.At), int64(a.env.Now().Sub(s.At)/time.Second)
	}
	return doc, err
}

// runPublish publishes a checkpoint now.
func runPublish(ctx context.Context, a *app, again bool) error {
	if a.flags.dryRun {
		return errNoDryRun("checkpoint --publish", "what is published cannot be taken back")
	}
	if _, err := a.database(ctx); err != nil {
		return err
	}
	if err := a.publishCheckpoint(ctx, again); err != nil {
		return err
	}
	doc, err := a.published(ctx)
	if err != nil {
		return err
	}
	return a.print(docPublication{head("checkpoint.published"), doc}, func(p *page) { p.linef("%s", doc.text()) })
}

type docPublication struct {
	docHead
	docPublished
}

// examineCheckpoints adds how far publication has come, and its problems.
func (doc *docDoctor) examineCheckpoints(ctx context.Context, a *app) error {
	if a.config.Checkpoints.name() == "" {
		return nil
	}
	d, err := a.published(ctx)
	if err != nil {
		return err
	}
	doc.Checkpoints = &d
	if d.Decisions > 0 {
		doc.Problems = append(doc.Problems, fmt.Sprintf("%s in no published checkpoint; run toolcrib checkpoint --publish", verbed(d.Decisions, "decision")))
	}
	p, err := a.checkpointPublisher()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishFor)
	defer cancel()
	if err := p.Check(ctx); err != nil {
		doc.Problems = append(doc.Problems, sentence(err))
	}
	return nil
}

// verbed is counted with the verb to be.
func verbed(n int, noun string) string {
	if n == 1 {
		return counted(n, noun) + " is"
	}
	return counted(n, noun) + " are"
}

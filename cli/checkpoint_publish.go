package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"toolcrib/cli/checkpoints"
	"toolcrib/proposals"
	"toolcrib/tui/wording"
)

// publishing remembers decisions until a checkpoint of them is published.
type publishing struct {
	mu      sync.Mutex
	decided bool
	woken   chan struct{} // of who publishes while the process stays; nil when nobody does
}

// committed notes that a transaction decided something, or that a notice is due.
func (a *app) committed(acts []string) {
	if a.onCommit != nil {
		a.onCommit(acts)
	}
	for _, act := range acts {
		if proposals.Act(act).Decides() {
			a.publisher.again()
			a.publisher.wake()
			return
		}
	}
}

// again remembers that there is a decision to publish.
func (p *publishing) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decided = true
}

func (p *publishing) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.woken <- struct{}{}: // nil is never ready
	default:
	}
}

// take returns whether there is a decision to publish, and forgets it.
func (p *publishing) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	decided := p.decided
	p.decided = false
	return decided
}

// publishDecided publishes a checkpoint of this process's decisions, if a place is
// configured.
func (a *app) publishDecided(ctx context.Context) error {
	if !a.publisher.take() || a.config == nil || a.config.Checkpoints.name() == "" || a.scratch != "" {
		return nil
	}
	return a.publishCheckpoint(context.WithoutCancel(ctx), false)
}

// publishLast publishes before the process ends. The decisions stand whatever
// comes of it.
func (a *app) publishLast(ctx context.Context) {
	if err := a.publishDecided(ctx); err != nil {
		text := stop(err.Error())
		if !errors.Is(err, checkpoints.ErrNotExtended) {
			text += " The next decision, or toolcrib checkpoint --publish, tries again."
		}
		writeNote(a.env.Err, "toolcrib: the decision stands, but its checkpoint was not published: %s", text)
	}
}

// publishMeanwhile publishes after each decision while the process runs. stop ends
// it, and leaves unpublished decisions to publishLast.
func (a *app) publishMeanwhile(ctx context.Context, state *checkpoints.Watch) (stop func()) {
	woken, ended := make(chan struct{}, 1), make(chan struct{})
	a.publisher.mu.Lock()
	a.publisher.woken = woken
	a.publisher.mu.Unlock()
	go func() {
		defer close(ended)
		for range woken {
			if err := a.publishDecided(ctx); err != nil {
				a.publisher.again() // publishLast reports the error if it fails too
			}
			state.Refresh(ctx)
		}
	}()
	return func() {
		a.publisher.mu.Lock()
		a.publisher.woken = nil
		close(woken)
		a.publisher.mu.Unlock()
		<-ended
	}
}

// publishFor bounds how long a decision's checkpoint keeps the process.
const publishFor = 10 * time.Second

func (a *app) publishCheckpoint(ctx context.Context, again bool) error {
	p, err := a.checkpointPublisher()
	if err != nil {
		return err
	}
	if p.Signer, err = a.checkpointSigner(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(publishFor, a.env.MinWait))
	defer cancel()
	err = p.Publish(ctx, again)
	if errors.Is(err, checkpoints.ErrNotExtended) {
		return fmt.Errorf("%w; look into it, or run toolcrib checkpoint --publish --start-over if you restored a backup on purpose", err)
	}
	return err
}

// watchCheckpoints returns how far publication has come, for a screen that does not
// wait. doctor reports why it cannot be read.
func (a *app) watchCheckpoints() *checkpoints.Watch {
	return &checkpoints.Watch{Read: func(ctx context.Context) (checkpoints.Status, error) {
		p, err := a.checkpointPublisher()
		if err != nil {
			return checkpoints.Status{}, err
		}
		return p.Status(ctx)
	}}
}

// checkpointPublisher returns the publisher that the settings describe, without
// a key.
func (a *app) checkpointPublisher() (*checkpoints.Publisher, error) {
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	state, err := stateHome(a.env)
	if err != nil {
		return nil, err
	}
	to := c.Checkpoints
	if to.name() == "" {
		return nil, usagef("there is nowhere to publish checkpoints; set to = \"git:PATH\" under [checkpoints] in %s", c.userFile)
	}
	target := func(genesis string) checkpoints.Target {
		if dir, ok := strings.CutPrefix(to.To, gitTarget); ok {
			return checkpoints.Git{Dir: dir, Genesis: genesis}
		}
		return checkpoints.Command{Args: to.Command, Dir: filepath.Dir(c.userFile)}
	}
	return &checkpoints.Publisher{
		Log: a.db, To: to.name(), Target: target, State: filepath.Join(state, "toolcrib", "checkpoints"), Now: a.env.Now,
	}, nil
}

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
	ctx, cancel := context.WithTimeout(ctx, max(publishFor, a.env.MinWait))
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

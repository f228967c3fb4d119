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
)

// publishing remembers decisions until a checkpoint of them is published.
type publishing struct {
	mu      sync.Mutex
	decided bool
	woken   chan struct{} // of who publishes while the process stays; nil when nobody does
}

// committed notes that a transaction decided something, or that a notice is due.
func (a *app) committed(acts []string) {
	a.notifyOf(acts)
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
func (a *app) publishMeanwhile(ctx context.Context, state *checkpointState) (stop func()) {
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
			state.refresh(ctx)
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
	ctx, cancel := context.WithTimeout(ctx, publishFor)
	defer cancel()
	err = p.Publish(ctx, again)
	if errors.Is(err, checkpoints.ErrNotExtended) {
		return fmt.Errorf("%w; look into it, or run toolcrib checkpoint --publish --start-over if you restored a backup on purpose", err)
	}
	return err
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

package serve

import (
	"context"
	"time"
)

// every is how often a server looks whether another process did something, where the
// database does not tell.
const every = 100 * time.Millisecond

// follow looks for what other processes do until ctx ends: it wakes the event
// streams, and ends the sessions of tokens that are not valid any more. It
// returns an error when the database is not there any more.
func (s *Server) follow(ctx context.Context) error {
	last, approved, _ := s.config.Log.Head(ctx) // what cannot be read now is read at the next turn
	newer := make(chan int64, 1)
	ended := make(chan struct{})
	defer func() {
		close(newer)
		<-ended
	}()
	go func() {
		defer close(ended)
		for state := range newer {
			s.refresh(ctx, state)
		}
	}()
	for told := int64(0); ; {
		told = s.config.Log.Wait(ctx, told, every)
		if ctx.Err() != nil {
			return nil
		}
		if err := s.config.Log.There(); err != nil {
			s.config.Logger.Error("the database is gone", "error", err.Error())
			return err
		}
		event, state, err := s.config.Log.Head(ctx)
		if err != nil || event == last && state == approved {
			s.clients.expire(s.config.Now())
			continue
		}
		last = event
		if state != approved {
			select {
			case newer <- state:
				approved = state
			default: // it reads the one before; the next turn tells this one
			}
		}
		s.streams.tell()
		s.clients.check(ctx, s.config.Tokens)
	}
}

// This file implements the GET /v1/bundle endpoint, which provides the published registry to machines that follow it.

package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

const bundlePath = "/v1/bundle"

// Published provides the live registry as files for other machines.
type Published interface {
	// File returns the content of the file with the given name. It returns fs.ErrNotExist if the file does not exist.
	File(name string) ([]byte, error)
}

// bundles caches the newest state of the published registry and the previous state, which a follower may still be
// reading.
type bundles struct {
	mu     sync.Mutex
	state  int64
	newest *bundle
	before *bundle
}

// bundle caches the files of a published registry that have been requested.
type bundle struct {
	from  Published
	files map[string][]byte
}

func (b *bundle) file(name string) ([]byte, error) {
	if b == nil {
		return nil, fs.ErrNotExist
	}
	if data, ok := b.files[name]; ok {
		return data, nil
	}
	data, err := b.from.File(name)
	if err == nil {
		b.files[name] = data
	}
	return data, err
}

// file returns the file with the given name. If the newest published registry is older than the given state, file first
// publishes the registry.
func (b *bundles) file(ctx context.Context, c Config, state int64, name string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.newest == nil || b.state < state {
		published, err := c.Publish(ctx)
		if err != nil {
			return nil, err
		}
		b.state, b.before, b.newest = state, b.newest, &bundle{published, map[string][]byte{}}
	}
	data, err := b.newest.file(name)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = b.before.file(name)
	}
	return data, err
}

// bundle handles GET /v1/bundle and the paths below it. It responds with a file of the registry as the toolcrib publish
// command writes it.
func (s *Server) bundle(q *request) error {
	if s.config.Publish == nil {
		return problem(http.StatusNotFound, "not_found", "this server does not offer its registry; start the server with toolcrib serve --bundle")
	}
	name := cmp.Or(q.r.PathValue("file"), "index.json")
	// Use the context of the server, because other clients may wait for the same files when this client disconnects.
	data, err := s.bundles.file(s.clients.ctx, s.config, q.state, name)
	if errors.Is(err, fs.ErrNotExist) {
		return problem(http.StatusNotFound, "not_found", "the published registry has no file "+jsondoc.Quote(name))
	}
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("ETag", `"`+registry.HashBytes(data)+`"`)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Authorization")
	h.Set("Content-Type", "application/octet-stream")
	http.ServeContent(q.w, q.r, "", time.Time{}, bytes.NewReader(data))
	return nil
}

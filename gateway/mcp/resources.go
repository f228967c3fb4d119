// This file implements the resources/list and resources/read methods, which provide versions of definitions.

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Constants for the URIs of versions, such as toolcrib://version/tool/user/scene_pacer/3.
const (
	uriPrefix   = "toolcrib://version/"
	uriTemplate = uriPrefix + "{kind}/{+layer}/{id}/{version}"
	uriType     = "application/json"
)

func uri(s registry.Subject, version int) string {
	return uriPrefix + string(s.Kind) + "/" + string(s.Layer) + "/" + s.ID + "/" + strconv.Itoa(version)
}

// parseURI is the inverse function of uri. It returns false if text is not a result of uri.
func parseURI(text string) (s registry.Subject, version int, ok bool) {
	rest, ok := strings.CutPrefix(text, uriPrefix)
	last := strings.LastIndexByte(rest, '/')
	if !ok || last < 0 {
		return s, 0, false
	}
	version, err := strconv.Atoi(rest[last+1:])
	if err != nil || version < 1 || strconv.Itoa(version) != rest[last+1:] {
		return s, 0, false
	}
	s, err = registry.ParseSubject(strings.Replace(rest[:last], "/", ":", 1))
	return s, version, err == nil
}

// readable returns the live definitions of the client's agent: the tools in the order of their ids, the profile, and
// the allow-list. It does not return skills and instruction files, which clients can read, too.
func (s *Server) readable(ctx context.Context) ([]registry.Live, error) {
	profile, tools, err := s.config.Gateway.Tools(ctx, s.config.Caller)
	if err != nil {
		return nil, err
	}
	lives := lists.Map(tools, func(e registry.Entry) registry.Live { return e.Live })
	slices.SortFunc(lives, func(a, b registry.Live) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	if profile.Version == 0 {
		return lives, nil
	}
	lives = append(lives, profile)
	if allowed := profile.Definition.Agent.AllowList; allowed != nil && allowed.Reference() {
		list, err := s.config.Registry.List(ctx, allowed.Name)
		switch {
		case err == nil:
			lives = append(lives, list)
		case !errors.Is(err, proposals.ErrNotFound):
			return nil, err
		}
	}
	return lives, nil
}

// after reports whether the position of s is after the position of t in the order of listVersions.
func after(s, t registry.Subject) bool {
	order := registry.SubjectKinds()
	if of, than := slices.Index(order, s.Kind), slices.Index(order, t.Kind); of != than {
		return of > than
	}
	return s.Kind == registry.KindTool && s.ID > t.ID || s.Kind.InFiles() && s.String() > t.String() // only a single agent and a single allow-list exist
}

// listVersions implements resources/list. It lists the live versions of the definitions that readable returns, followed
// by the skills and the instruction files. The cursor of the next page is the last subject on the page.
func (s *Server) listVersions(ctx context.Context, p *sdk.ListResourcesParams) (*sdk.ListResourcesResult, error) {
	cursor := ""
	if p != nil {
		cursor = p.Cursor
	}
	lives, err := s.readable(ctx)
	if err != nil {
		return nil, err
	}
	files, err := s.config.Registry.Files(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b registry.Live) int {
		if after(a.Subject, b.Subject) {
			return 1
		}
		return -1
	})
	lives = append(lives, files...)
	if cursor != "" {
		last, err := registry.ParseSubject(cursor)
		if err != nil {
			return nil, invalid("unknown cursor; request the first page without a cursor")
		}
		lives = slices.DeleteFunc(lives, func(l registry.Live) bool { return !after(l.Subject, last) })
	}
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: uncached()}
	if len(lives) > pageSize {
		lives = lives[:pageSize]
		out.NextCursor = lives[pageSize-1].Subject.String()
	}
	for _, l := range lives {
		out.Resources = append(out.Resources, &sdk.Resource{
			URI: uri(l.Subject, l.Version), Name: l.Subject.String(), Description: fmt.Sprintf("The live version of %s, version %d.", l.Subject, l.Version), MIMEType: uriType,
		})
	}
	return out, nil
}

// docVersion is the JSON form of a version.
type docVersion struct {
	Subject     string          `json:"subject"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	PrevHash    string          `json:"prev_hash"`
	Hash        string          `json:"hash"`
	Proposal    string          `json:"proposal"`
	Author      string          `json:"author"`
	DecidedBy   string          `json:"decided_by"`
	DecidedAt   time.Time       `json:"decided_at"`
	Note        string          `json:"note,omitempty"`
	Definition  json.RawMessage `json:"definition"`
}

// readVersion implements resources/read. It returns the version with the requested URI if the client may read its
// subject.
func (s *Server) readVersion(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	subject, number, ok := parseURI(requestedName(ctx))
	if !ok {
		return nil, noResource(requestedName(ctx))
	}
	own, err := s.readable(ctx)
	if err != nil {
		return nil, err
	}
	if !subject.Kind.InFiles() && !slices.ContainsFunc(own, func(l registry.Live) bool { return l.Subject == subject }) {
		return nil, noResource(requestedName(ctx))
	}
	v, err := s.config.Registry.Version(ctx, subject, number)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil, noResource(requestedName(ctx))
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(docVersion{
		Subject: v.Subject.String(), Version: v.Number, ContentHash: v.ContentHash, PrevHash: v.PrevHash, Hash: v.Hash, Proposal: v.Proposal,
		Author: v.Author, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Note: v.Note, Definition: v.Definition,
	})
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{
		Cacheable: sdk.Cacheable{CacheScope: "private", TTLMs: int((24 * time.Hour).Milliseconds())}, // versions never change
		Contents:  []*sdk.ResourceContents{{URI: requestedName(ctx), MIMEType: uriType, Text: string(visible.JSON(text))}},
	}, nil
}

// noResource returns an error about an unknown URI. The corresponding error of the SDK contains the URI in Go syntax.
// For a URI with control characters, this is not valid JSON, and the SDK could not send the response.
func noResource(uri string) error {
	data, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	none := sdk.ResourceNotFoundError(uri)
	if wire, ok := errors.AsType[*jsonrpc.Error](none); ok {
		wire.Data = visible.JSON(data)
	}
	return none
}

// pageSize is the maximum number of tools, prompts, or resources on a page.
const pageSize = 100

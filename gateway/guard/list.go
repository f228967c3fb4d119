package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/wire"
)

// list answers the client's tools/list with the approved tools alone: each one that
// the server lists as it was approved, in its approved bytes. The other members of
// the result stay.
func (g *Guard) list(ctx context.Context, m *message, line []byte) {
	if g.wait(ctx, g.loaded) != nil {
		return // the guard ends
	}
	var found, next span
	err := m.members(m.result, []string{"tools", "nextCursor"}, func(key string, value span) {
		switch key {
		case "tools":
			found = value
		case "nextCursor":
			next = value
		}
	})
	if err == nil && (!found.there() || m.text[found.from] != '[') {
		err = ambiguous("it has no list of tools")
	}
	if err != nil {
		g.answer(refused(m.id.of(m.text), codeInternal, "toolcrib withholds the server's list of tools: "+err.Error()))
		return
	}
	g.mu.Lock()
	approved, closed := g.approved.Tools, g.closed
	g.mu.Unlock()
	if closed != nil {
		approved = nil
	}
	listed, withheld := passing(m.text, found, approved)
	list := []byte{'['}
	for i, raw := range listed {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, raw...)
	}
	_ = g.client.write(slices.Concat(line[:found.from], append(list, ']'), line[found.to:]))
	if len(withheld) > 0 && closed == nil {
		g.say("warning", fmt.Sprintf("%d of the tools of %s are withheld until they are approved (toolcrib show set:%s): %s",
			len(withheld), g.config.Name, g.config.Name, strings.Join(withheld, ", ")))
	}
	if next.there() || len(withheld) > 0 || len(listed) != len(approved) {
		g.compare(m.text, found)
	}
}

// passing returns the approved tools of a list, in their approved bytes, and the names
// of the others.
func passing(text []byte, list span, approved map[string]Tool) (listed []json.RawMessage, withheld []string) {
	seen := map[string]bool{}
	s := scanner{text: text[:list.to], at: list.from}
	_ = s.elements(0, func(value span) error { // it was checked
		item, err := wire.ReadItem(wire.MCP, value.of(text))
		if err != nil {
			withheld = append(withheld, "one that cannot be read")
			return nil
		}
		tool, known := approved[item.Name]
		if !known || seen[item.Name] || tool.Hash != item.Hash() {
			withheld = append(withheld, clip(item.Name))
			return nil
		}
		seen[item.Name] = true
		listed = append(listed, tool.Raw)
		return nil
	})
	return listed, withheld
}

// compare has the server's tools compared when the client was shown a list that
// differs from the last comparison: a server may change without a word.
func (g *Guard) compare(text []byte, list span) {
	s := scanner{text: text[:list.to], at: list.from}
	differs := false
	_ = s.elements(0, func(value span) error { // it was checked
		item, err := wire.ReadItem(wire.MCP, value.of(text))
		differs = differs || err == nil && g.refresher.hash(item.Name) != item.Hash()
		return nil
	})
	g.refresher.mu.Lock()
	known := g.refresher.known
	g.refresher.mu.Unlock()
	if differs && known {
		g.refresher.want()
	}
}

// follow keeps the approved tools as they are in the database, until ctx ends.
func (g *Guard) follow(ctx context.Context) {
	loaded := false
	for told := int64(0); ctx.Err() == nil; told = g.config.Crib.Wait(ctx, told) {
		approved, err := g.config.Crib.Approved(ctx)
		if ctx.Err() != nil {
			return
		}
		g.mu.Lock()
		same := loaded && (err == nil) == (g.closed == nil) && (err != nil && err.Error() == g.closed.Error() || err == nil && approved.State == g.approved.State)
		g.closed = err
		if err == nil {
			g.approved = approved
		}
		g.mu.Unlock()
		if !loaded {
			loaded = true
			close(g.loaded)
		}
		if same {
			continue
		}
		if err != nil {
			g.sayClosed(err)
		} else {
			g.observer.look() // at what could not be proposed before
		}
		g.tell(false)
	}
}

// closedBy returns why nothing is listed and called, nil when something is.
func (g *Guard) closedBy() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

func (g *Guard) sayClosed(err error) {
	g.say("error", fmt.Sprintf("toolcrib lists and calls none of the tools of %s: %v", g.config.Name, err))
}

// tell sends list_changed when the client would be listed something else than at the
// last time, unless it has heard of that already.
func (g *Guard) tell(heard bool) {
	now := g.listing()
	g.mu.Lock()
	before := g.told
	g.told = now
	g.mu.Unlock()
	if before != "" && now != "" && before != now && !heard {
		g.tellChanged()
	}
}

// listing names what the client would be listed now, "" when nobody knows.
func (g *Guard) listing() string {
	g.refresher.mu.Lock()
	hashes, known := g.refresher.hashes, g.refresher.known
	g.refresher.mu.Unlock()
	select {
	case <-g.loaded:
	default:
		known = false
	}
	if !known {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for name, tool := range g.approved.Tools {
		if g.closed == nil && hashes[name] == tool.Hash {
			names = append(names, name+" "+tool.Hash)
		}
	}
	slices.Sort(names)
	return "listed\n" + strings.Join(names, "\n")
}

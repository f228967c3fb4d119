package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/registry/wire"
)

// list answers the client's tools/list with the approved tools alone: each one that
// the server lists as it was approved, in its approved bytes. The other members of
// the result stay.
func (g *Guard) list(ctx context.Context, m *message, line []byte) {
	if wait(ctx, g.approvals.loaded) != nil {
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
	state, closed := g.approvals.get()
	approved := state.Tools // none when nobody knows them
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
		which := "1 tool of %s is withheld until it is approved (toolcrib show set:%s): %s"
		if n := len(withheld); n > 1 {
			which = strconv.Itoa(n) + " tools of %s are withheld until they are approved (toolcrib show set:%s): %s"
		}
		g.say("warning", fmt.Sprintf(which, g.config.Name, g.config.Name, strings.Join(withheld, ", ")))
	}
	if next.there() || len(withheld) > 0 || len(listed) != len(approved) {
		g.refresher.compare(m.text, found)
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

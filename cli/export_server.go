package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// encodeServer writes the approved tools of an MCP server as the server lists
// them: the JSON of each byte by byte, in the order of the server's latest list.
func (a *app) encodeServer(ctx context.Context, server string, c extract) ([]byte, error) {
	order, err := a.db.Listed(ctx, server)
	if err != nil {
		return nil, err
	}
	raws := map[string][]byte{}
	for _, e := range c.tools {
		l, err := liveOf(e)
		if err != nil {
			return nil, err
		}
		s := l.Definition.Tool.Source
		if s == nil || s.Type != registry.SourceMCP || !strings.HasPrefix(s.Ref, server+"#") {
			continue
		}
		raw, ok, err := a.db.Raw(ctx, s.Hash)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("the JSON that %s was imported from was not kept here; import it again", e.Subject)
		}
		raws[s.Hash] = raw
		if !slices.Contains(order, s.Hash) {
			order = append(order, s.Hash) // it is not listed like this any more
		}
	}
	if len(raws) == 0 {
		return nil, notFoundf("approved tools of the server %s", server)
	}
	var doc bytes.Buffer
	fmt.Fprintf(&doc, `{"serverInfo":{"name":%s},"tools":[`, jsondoc.Canonical(jsondoc.NewString(server)))
	var list [][]byte
	for _, hash := range order {
		if raw, approved := raws[hash]; approved {
			list = append(list, raw)
		}
	}
	doc.Write(bytes.Join(list, []byte(",\n")))
	doc.WriteString("]}\n")
	return doc.Bytes(), nil
}

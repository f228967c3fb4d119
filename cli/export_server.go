package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// encodeServer writes what was approved of an MCP server as the server itself
// lists it: the JSON of each tool byte by byte as it came, whatever toolcrib
// makes of it.
func (a *app) encodeServer(ctx context.Context, server string, c extract) ([]byte, error) {
	var raws [][]byte
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
		raws = append(raws, raw)
	}
	if len(raws) == 0 {
		return nil, notFoundf("approved tools of the server %s", server)
	}
	var doc bytes.Buffer
	fmt.Fprintf(&doc, `{"serverInfo":{"name":%s},"tools":[`, jsondoc.Canonical(jsondoc.NewString(server)))
	doc.Write(bytes.Join(raws, []byte(",\n")))
	doc.WriteString("]}\n")
	return doc.Bytes(), nil
}

package upstream

import (
	"bytes"
	"context"
	"encoding/json"

	"toolcrib/registry/jsondoc"
)

// List connects to a server, reads its list of tools and returns it as a document
// that registry/wire reads: the server's name, the protocol revision, the declared
// capabilities, and every tool byte by byte.
func List(ctx context.Context, s Server) ([]byte, error) {
	session, err := Connect(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Document(ctx)
}

// Document is List over a session.
func (s *Session) Document(ctx context.Context) ([]byte, error) {
	tools, err := s.Tools(ctx)
	if err != nil {
		return nil, err
	}
	var name, version, revision string
	if r := s.sdk.InitializeResult(); r != nil {
		revision = r.ProtocolVersion
		if r.ServerInfo != nil {
			name, version = r.ServerInfo.Name, r.ServerInfo.Version
		}
	}
	head := jsondoc.NewObject(
		jsondoc.Member{Key: "serverInfo", Value: jsondoc.NewObject(
			jsondoc.Member{Key: "name", Value: jsondoc.NewString(name)},
			jsondoc.Member{Key: "version", Value: jsondoc.NewString(version)})},
		jsondoc.Member{Key: "protocolVersion", Value: jsondoc.NewString(revision)},
	)
	var doc bytes.Buffer
	doc.Write(bytes.TrimSuffix(jsondoc.Canonical(head), []byte("}")))
	declared, _ := s.server.declared()
	doc.WriteString(`,"clientCapabilities":` + declared + `,"tools":[`)
	doc.Write(bytes.Join(asBytes(tools), []byte(",")))
	doc.WriteString("]}")
	return doc.Bytes(), nil
}

func asBytes(raws []json.RawMessage) [][]byte {
	out := make([][]byte, len(raws))
	for i, r := range raws {
		out[i] = r
	}
	return out
}

package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/gateway"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Backend is toolcrib as a guard needs it: what was approved, where changes are
// proposed, and the gates and the log of calls. Database implements it.
type Backend interface {
	// Approved returns the approved tools of the server. The error says, for the person
	// at the client, why nobody knows them; then nothing is listed and nothing called.
	Approved(ctx context.Context) (Approved, error)
	// Wait returns when something may have been approved in any process; seen is its
	// last result, 0 at first.
	Wait(ctx context.Context, seen int64) int64
	// Observe proposes what differs from the approved tools, and texts, in what the
	// server lists, and records what of the list cannot be proposed.
	Observe(ctx context.Context, l Listing) error
	// Vet returns why a tool whose excluded parts differ from the approved JSON must not be
	// listed: what the rules find in it.
	Vet(ctx context.Context, raw json.RawMessage) error
	// Withheld returns how many tools and texts of the server wait for an approval.
	Withheld(ctx context.Context) int
	// Admit takes a call of a client, "" for one without a name, through the gates and
	// records it. r.Decline compares what the server lists with the definition that is
	// approved at the moment of writing, which may be newer than the last result of
	// Approved. An error other than a *gateway.Error is a failure to ask the gates.
	Admit(ctx context.Context, client string, r gateway.Request) (*gateway.Admitted, error)
	// Conclude records the outcome of an admitted call, once.
	Conclude(a *gateway.Admitted, o gateway.Outcome)
}

// Approved are the approved tools of a server in one state of the registry.
type Approved struct {
	State int64
	Tools map[string]Tool // by their name on the server
	// Texts are the prompts and the instructions, by wire.PromptName and
	// wire.InstructionsName.
	Texts map[string]wire.ServerText
}

// Tool is an approved tool.
type Tool struct {
	Hash   string           // of the canonical form of Raw
	Raw    json.RawMessage  // exactly the approved JSON
	Source *registry.Source // has the parts that the pin excludes; nil for a prompt
}

// Listing is a complete list of the server's tools, or why there is none.
type Listing struct {
	Problem      string          // why the server's tools are not known; "" when they are
	Server       json.RawMessage // serverInfo as the server gave it; nil when it gave none
	Protocol     string          // the revision; "" when it is not known
	Capabilities json.RawMessage // that the client declares; nil when it declares none
	Tools        []json.RawMessage
	Texts        []json.RawMessage // of prompts and instructions; nil when they are not reviewed
	Skipped      []wire.Skipped    // what of the list cannot be read
}

// Document returns the list as registry/wire reads it.
func (l Listing) Document() []byte {
	var doc bytes.Buffer
	doc.WriteByte('{')
	for _, m := range []struct {
		key   string
		value json.RawMessage
	}{{"serverInfo", l.Server}, {"clientCapabilities", l.Capabilities}} {
		if len(m.value) > 0 {
			fmt.Fprintf(&doc, `"%s":%s,`, m.key, m.value)
		}
	}
	if l.Protocol != "" {
		fmt.Fprintf(&doc, `"protocolVersion":%s,`, jsondoc.Canonical(jsondoc.NewString(l.Protocol)))
	}
	fmt.Fprintf(&doc, `"tools":[%s]`, joined(l.Tools))
	if l.Texts != nil {
		fmt.Fprintf(&doc, `,"texts":[%s]`, joined(l.Texts))
	}
	doc.Write(wire.UnreadMember(l.Skipped))
	doc.WriteByte('}')
	return doc.Bytes()
}

// joined returns JSON values with commas between them.
func joined(raws []json.RawMessage) []byte {
	var out []byte
	for i, raw := range raws {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return out
}

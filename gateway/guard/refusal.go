package guard

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Codes of JSON-RPC 2.0 errors.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// refused is an error that answers the request with an id; nil for one that could not
// be read.
func refused(id []byte, code int, message string) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(message))
}

// quote writes a text as JSON.
func quote(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // no text fails
	}
	return b
}

// refusal answers a call that does not pass: an unknown tool is an error of the
// protocol, and anything else a result that the model reads.
func refusal(c *call, modern bool, err error) []byte {
	var why *Refusal
	var unclear ambiguous
	switch {
	case errors.As(err, &unclear):
		return refused(c.id, codeInvalidParams, "toolcrib does not pass this call on: "+err.Error())
	case errors.As(err, &why) && why.Unknown:
		return refused(c.id, codeInvalidParams, why.Message)
	case why == nil:
		why = &Refusal{Code: "guard_closed", Message: "toolcrib passes no call on: " + err.Error()}
	}
	meta := fmt.Appendf(nil, `"toolcrib/code":%s`, quote(why.Code))
	if why.Pending != "" {
		meta = fmt.Appendf(meta, `,"toolcrib/pending":%s`, quote(why.Pending))
	}
	kind := ""
	if modern {
		kind = `"resultType":"complete",`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":%s}],"isError":true,"_meta":{%s}}}`,
		c.id, kind, quote(why.Message), meta)
}

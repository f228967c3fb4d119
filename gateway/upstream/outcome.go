package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolcrib/gateway"
	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
)

// maxMessage limits how much of a server's own words an error repeats, in bytes.
const maxMessage = 2_000

// notFollowed returns why a result that is not complete is an error. What a server
// asks for in it (SEP-2322) would come from the user or from a model, past every
// gate, so toolcrib declares to no server that it could give it.
func notFollowed(kind string) string {
	if kind == "input_required" {
		return "the server answers input_required: it asks for input from the user or a model, which toolcrib does not give. By its answer, nothing was done. Call it with all its inputs, or use the server directly"
	}
	return fmt.Sprintf("the server answers with a result of the type %s, which toolcrib does not know", jsondoc.Quote(kind))
}

// outcome tells a result from an error that the server reports in its place.
func outcome(raw json.RawMessage, n *jsondoc.Node) (gateway.Output, error) {
	if kind := n.Get("resultType"); kind != nil && kind.Text != "complete" {
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeProvider, Message: notFollowed(kind.Text), Details: raw}
	}
	if failed := n.Get("isError"); failed == nil || failed.Kind != jsondoc.Bool || failed.Text != "true" {
		out := gateway.Output{Object: raw}
		if structured := n.Get("structuredContent"); structured != nil {
			out.Structured = jsondoc.Canonical(structured)
		}
		return out, nil
	}
	var parts []string
	if content := n.Get("content"); content != nil {
		for _, block := range content.Items {
			if text := block.Get("text"); text != nil && text.Kind == jsondoc.String {
				parts = append(parts, text.Text)
			}
		}
	}
	message := strings.Join(parts, "\n")
	if message == "" {
		message = "the server reports an error without a message"
	}
	return gateway.Output{}, &gateway.Error{Code: gateway.CodeProvider, Message: cut(message), Details: raw}
}

// asError gives an error of a server the gateway's code.
func asError(err error) error {
	e := &gateway.Error{Code: gateway.CodeProvider, Message: cut(err.Error())}
	var answered *jsonrpc.Error
	var unreached *url.Error // it names the address
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, ErrCredentials):
		e.Code, e.NotRun = gateway.CodeCredentials, true
		e.Message = "the server does not accept the credentials; nothing was run, the user has to connect it again"
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		e.Code = gateway.CodeTimeout
	case errors.As(err, &unreached):
		why, sure := gateway.Unreached(err)
		e.Code, e.NotRun, e.Message = gateway.CodeUnavailable, sure, "the server is not available: "+why+"; try again later"
	case errors.As(err, &answered):
		e.Details = answered.Data
	}
	return e
}

// notListed is asError for a list that was not given: nothing was called.
func notListed(err error) error {
	err = asError(err)
	var e *gateway.Error
	if errors.As(err, &e) {
		e.NotRun = true
	}
	return err
}

func cut(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return plaintext.CutBytes(s, maxMessage) + " …"
}

package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// checkMessage returns why a message cannot be passed on, and its id as it is written,
// nil where it is not known. The SDK reads the first of two messages, rounds ids that
// are numbers, and names its own types where params are of another form.
func checkMessage(text []byte) (refused *jsonrpc.Error, id json.RawMessage) {
	refuse := func(code int64, format string, args ...any) *jsonrpc.Error {
		return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil || !json.Valid(text) {
		return refuse(jsonrpc.CodeParseError, "cannot parse the message"), nil
	}
	var message map[string]json.RawMessage
	if err := json.Unmarshal(text, &message); err != nil {
		return refuse(jsonrpc.CodeInvalidRequest, "a message is an object"), nil
	}
	id = message["id"]
	if why := badID(id); why != "" {
		return refuse(jsonrpc.CodeInvalidRequest, "%s", why), id
	}
	var method string
	if json.Unmarshal(message["method"], &method) != nil || method == "" || len(message["params"]) == 0 {
		return nil, id
	}
	params := paramsOf(method)
	if params == nil {
		return nil, id
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(message["params"], params); errors.As(err, &wrong) {
		field := strings.TrimPrefix("params."+wrong.Field, "params..")
		return refuse(jsonrpc.CodeInvalidParams, "%s of %s cannot be a JSON %s", strings.TrimSuffix(field, "."), method, wrong.Value), id
	}
	return nil, id
}

// refusal writes the answer to a message that is not passed on, on a line.
func refusal(id json.RawMessage, why *jsonrpc.Error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	message, err := json.Marshal(why.Message)
	if err != nil {
		message = []byte(`""`) // a text always has a form
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, why.Code, message)
}

// maxID is the largest number that every JSON parser reads exactly.
const maxID = 1 << 53

// badID returns why an id cannot come back as it is.
func badID(id json.RawMessage) string {
	var number json.Number
	if len(id) == 0 || id[0] == '"' || json.Unmarshal(id, &number) != nil {
		return "" // a text, none, or nothing that DecodeMessage takes
	}
	n, err := number.Int64()
	if err != nil || n > maxID || n < -maxID {
		return "an id that is a number is whole, and at most 2^53; write a text"
	}
	return ""
}

// paramsOf returns a value for the params of a method, nil where they have any form.
func paramsOf(method string) any {
	switch method {
	case "initialize":
		return &sdk.InitializeParams{}
	case "tools/list":
		return &sdk.ListToolsParams{}
	case "tools/call":
		return &sdk.CallToolParamsRaw{}
	case "prompts/list":
		return &sdk.ListPromptsParams{}
	case "prompts/get":
		return &sdk.GetPromptParams{}
	case "resources/list":
		return &sdk.ListResourcesParams{}
	case "resources/read":
		return &sdk.ReadResourceParams{}
	case "ping":
		return &sdk.PingParams{}
	}
	return nil
}

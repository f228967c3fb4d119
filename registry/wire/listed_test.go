package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestListProblem checks the tools because of which the TypeScript SDK 1.32 refuses a list.
func TestListProblem(t *testing.T) {
	for tool, want := range map[string]string{
		`"description":"d"`: "",
		`"description":"d","title":"T","annotations":{"title":"A","readOnlyHint":true},"outputSchema":{"type":"object"},"icons":[{"src":"x"}],"execution":{},"_meta":{},"unknown":null`: "",
		`"description":null`:                                `its "description", which is not a string`,
		`"title":null`:                                      `its "title", which is not a string`,
		`"annotations":null`:                                `its "annotations", which is not an object`,
		`"annotations":{"title":null}`:                      `its "annotations.title", which is not a string`,
		`"annotations":{"readOnlyHint":null}`:               `its "annotations.readOnlyHint", which is not true or false`,
		`"outputSchema":null`:                               `its "outputSchema", which is not an object`,
		`"outputSchema":{"type":"array"}`:                   `its outputSchema without "type": "object"`,
		`"_meta":null`:                                      `its "_meta", which is not an object`,
		`"icons":null`:                                      `its "icons", which is not a list`,
		`"execution":null`:                                  `its "execution", which is not an object`,
		`"inputSchema":{}`:                                  `its inputSchema without "type": "object"`,
		`"inputSchema":null`:                                `its "inputSchema", which is not an object`,
		`"inputSchema":{"type":"object","properties":null}`: `its "inputSchema.properties", which is not an object`,
		`"inputSchema":{"type":"object","required":null}`:   `its "inputSchema.required", which is not a list`,
		`"inputSchema":{"type":"object","required":[1]}`:    `its "inputSchema.required.*", which is not a string`,
		`"inputSchema":{"type":"object","properties":{"a":{"default":null,"enum":null}}}`: "",
		`"inputSchema":{"type":"object","properties":{"a":null}}`:                         `its "inputSchema.properties.*", which is not an object`,
	} {
		if !strings.Contains(tool, "inputSchema") {
			tool += `,"inputSchema":{"type":"object"}`
		}
		if got := ListProblem(json.RawMessage(`{"name":"t",` + tool + `}`)); got != want {
			t.Errorf("%s: %q, want %q", tool, got, want)
		}
	}
}

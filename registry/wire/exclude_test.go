package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// TestPinWithoutExcludedParts checks what two lists of a tool may differ in (G26).
func TestPinWithoutExcludedParts(t *testing.T) {
	pin := func(description, id string) string {
		item, err := wire.ReadItem(wire.MCP, fmt.Appendf(nil, `{"name":"n","description":%q,"_meta":{"id":%s}}`, description, id))
		if err != nil {
			t.Fatal(err)
		}
		return item.Pin([]registry.Exclusion{{Path: "description", Pattern: "[0-9]"}, {Path: "_meta.id"}})
	}
	one := pin("At 1 of 2.", `"a"`)
	for name, same := range map[string]string{
		"other digits": pin("At 7777 of 3.", `{"x":1}`), "no digits": pin("At "+strings.Repeat("1", 200)+" of 2.", "null"),
	} {
		if same != one {
			t.Errorf("%s change the pin", name)
		}
	}
	for name, other := range map[string]string{
		"a word": pin("In 1 of 2.", `"a"`), "a missing match": pin("At of 2.", `"a"`), "a long match": pin("At "+strings.Repeat("1", 201)+" of 2.", `"a"`),
		"a long field": pin("At 1 of 2.", `"`+strings.Repeat("a", 201)+`"`), "the mask itself": pin("At \ufffd of 2.", `"a"`),
	} {
		if other == one {
			t.Errorf("%s does not change the pin", name)
		}
	}
}

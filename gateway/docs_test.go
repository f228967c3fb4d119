package gateway_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestCodesAreDocumented checks that docs/runtime.md contains every code.
func TestCodesAreDocumented(t *testing.T) {
	shortrun.OneGoroutine(t)
	source, err := os.ReadFile("gateway.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/runtime.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code = "([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 20 {
		t.Fatalf("only %d codes were found", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(string(page), "`"+code[1]+"`") {
			t.Errorf("docs/runtime.md does not name %s", code[1])
		}
	}
}

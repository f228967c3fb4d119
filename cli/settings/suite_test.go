package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lenient is the maximum number of invalid files that the library may accept, such as times without seconds, which are
// valid in TOML 1.1, and tables that are defined twice.
const lenient = 22

// TestTOMLSuite decodes the files of toml-test, which `make suites` installs: all valid files of TOML 1.0 must be
// accepted, and almost all invalid ones rejected.
func TestTOMLSuite(t *testing.T) {
	dir := os.Getenv("TOOLCRIB_SUITES")
	if dir == "" {
		t.Skip("set TOOLCRIB_SUITES, as make suites does")
	}
	list, err := os.ReadFile(filepath.Join(dir, "toml/files-toml-1.0.0"))
	if err != nil {
		t.Fatal(err)
	}
	files, taken := 0, 0
	for name := range strings.FieldsSeq(string(list)) {
		if !strings.HasSuffix(name, ".toml") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "toml", name))
		if err != nil {
			t.Fatal(err)
		}
		files++
		var into map[string]any
		_, _, err = DecodeConfig(text, &into)
		switch valid := strings.HasPrefix(name, "valid/"); {
		case valid && err != nil:
			t.Errorf("%s: %v", name, err)
		case !valid && err == nil:
			taken++
			t.Logf("%s is taken", name)
		}
	}
	if t.Logf("%d files; %d invalid ones are taken", files, taken); taken > lenient {
		t.Errorf("more than %d", lenient)
	}
}

package jsondoc

import (
	"errors"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	var got strings.Builder
	const text = `{"a":1,"b":{"c":[1,{"d":"}"}]},"\u0065":"x"}`
	err := Members([]byte(text), func(name string, value []byte, offset int) error {
		got.WriteString(name + "=" + text[offset:offset+len(value)] + ";")
		return nil
	})
	if want := `a=1;b={"c":[1,{"d":"}"}]};e="x";`; err != nil || got.String() != want {
		t.Errorf("%s, %v; want %s", got.String(), err, want)
	}
	stop := errors.New("stop")
	if err := Members([]byte(`{"a":1,"b":2}`), func(string, []byte, int) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the caller is %v", err)
	}
	for _, broken := range []string{"", "[]", `"a"`, `{"a"}`, `{"a":1`, `{"a":}`} {
		if err := Members([]byte(broken), func(string, []byte, int) error { return nil }); err == nil {
			t.Errorf("%q was accepted as an object", broken)
		}
	}
}

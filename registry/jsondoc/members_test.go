package jsondoc

import (
	"errors"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	var got strings.Builder
	err := Members([]byte(`{"a":1,"b":{"c":[1,{"d":"}"}]},"\u0065":"x"}`), func(name string, value []byte) error {
		got.WriteString(name + "=" + string(value) + ";")
		return nil
	})
	if want := `a=1;b={"c":[1,{"d":"}"}]};e="x";`; err != nil || got.String() != want {
		t.Errorf("%s, %v; want %s", got.String(), err, want)
	}
	stop := errors.New("stop")
	if err := Members([]byte(`{"a":1,"b":2}`), func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of the caller is %v", err)
	}
	for _, broken := range []string{"", "[]", `"a"`, `{"a"}`, `{"a":1`, `{"a":}`, "{\"a\":\"\xff\"}"} {
		if err := Members([]byte(broken), func(string, []byte) error { return nil }); err == nil {
			t.Errorf("%q was accepted as an object", broken)
		}
	}
}

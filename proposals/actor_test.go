package proposals

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseActor(t *testing.T) {
	long := strings.Repeat("a", MaxActorName)
	for text, want := range map[string]Actor{
		"user:ada":             {User, "ada"},
		"agent:drafter-2":      {Agent, "drafter-2"},
		"chief:desk":           {Chief, "desk"},
		"user:_ada.b@c+d":      {User, "_ada.b@c+d"},
		"user:0":               {User, "0"},
		"agent:" + long:        {Agent, long},
		"user:builtin":         {User, "builtin"},
		"agent:system":         {Agent, "system"},
		"chief:Builtin":        {Chief, "Builtin"},
		"user:ada@example.org": {User, "ada@example.org"},
	} {
		got, err := ParseActor(text)
		if err != nil || got != want {
			t.Errorf("ParseActor(%q) = %v, %v; want %v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%q is written %q", text, got)
		}
	}
	for _, text := range []string{
		"", "ada", "user", "user:", ":ada", "User:ada", "USER:ada", "root:ada", "user :ada", " user:ada", "user: ada", "user:ada ",
		"user:ada\n", "user:a b", "user:-ada", "user:.ada", "user:a:b", "user:ad/a", "user:äda", "user:ada\u200b", "user:а", "agent:" + long + "a",
		"user:ada\x00", "system", "system:", "system:x", "chief:builtin", "\xff", "user:\xff",
	} {
		if got, err := ParseActor(text); !errors.Is(err, ErrActor) || got != (Actor{}) {
			t.Errorf("ParseActor(%q) = %v, %v; want ErrActor", text, got, err)
		}
	}
}

// TestActorText decodes stored actors, including toolcrib's own actors and the
// empty one.
func TestActorText(t *testing.T) {
	for _, a := range []Actor{{}, {Kind: System}, BuiltinChief(), {User, "ada"}} {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var got Actor
		if err := json.Unmarshal(b, &got); err != nil || got != a {
			t.Errorf("%s is decoded as %v, %v", b, got, err)
		}
	}
	for _, text := range []string{`"root:ada"`, `"user:"`, `"system:x"`, `7`} {
		var got Actor
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was parsed as %v", text, got)
		}
	}
}

func TestActorName(t *testing.T) {
	for text, want := range map[string]string{
		"ada": "ada", "Ada Lovelace": "Ada-Lovelace", "": "unnamed", "---": "unnamed", "ä": "unnamed", "-ada-": "ada",
		"a/b\\c": "a-b-c", "../etc": "etc", "claude desktop\n": "claude-desktop", "_": "_", "a\x00b": "a-b", "\xff": "unnamed",
		strings.Repeat("x", 100): strings.Repeat("x", 64),
	} {
		if got := ActorName(text); got != want {
			t.Errorf("ActorName(%q) = %q; want %q", text, got, want)
		}
	}
}

// TestSelfNamed checks that names chosen by clients are marked, and that nobody can
// act under such a name (S14).
func TestSelfNamed(t *testing.T) {
	for name, want := range map[string]string{
		"user:root": "agent:~user-root", "root": "agent:~root", "~root": "agent:~root", "": "agent:~unnamed",
		strings.Repeat("x", 100): "agent:~" + strings.Repeat("x", 63),
	} {
		a := SelfNamed(name)
		if a.String() != want {
			t.Errorf("%q becomes %s; want %s", name, a, want)
		}
		var read Actor
		if err := read.UnmarshalText([]byte(want)); err != nil || read != a {
			t.Errorf("%s is decoded as %v, %v", want, read, err)
		}
		if _, err := ParseActor(want); err == nil {
			t.Errorf("%s can be used from outside", want)
		}
	}
	for _, text := range []string{"user:~root", "chief:~root", "agent:~", "agent:~~root", "agent:~" + strings.Repeat("x", 64)} {
		var read Actor
		if err := read.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s was parsed as %v", text, read)
		}
	}
}

// FuzzActor checks that ActorName returns valid names for any text, and that parsed
// actors keep their text form.
func FuzzActor(f *testing.F) {
	for _, s := range []string{"user:ada", "system", "chief:builtin", "agent:", "Ada Lovelace", "\xff", strings.Repeat("é", 70), "-.@+x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name := ActorName(text)
		a, err := ParseActor("agent:" + name)
		if err != nil || a != (Actor{Agent, name}) {
			t.Errorf("ActorName(%q) = %q, which is parsed as %v, %v", text, name, a, err)
		}
		if again := ActorName(name); again != name {
			t.Errorf("ActorName(%q) = %q", name, again)
		}
		if a, err := ParseActor(text); err == nil && a.String() != text {
			t.Errorf("%q is written %q", text, a)
		}
	})
}

package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

// choices formats a resolution, one tool per line: "+ get_tides: category web".
func choices(r registry.Resolution) []string {
	var lines []string
	for _, c := range r.Choices {
		sign := "-"
		if c.In {
			sign = "+"
		}
		lines = append(lines, sign+" "+c.Name+": "+c.Why())
	}
	return lines
}

// counting counts look-ups.
type counting struct {
	registry.Catalog
	lookups, categories int
}

func (c *counting) ByName(ctx context.Context, names ...string) (map[string]registry.Entry, error) {
	c.lookups++
	return c.Catalog.ByName(ctx, names...)
}

func (c *counting) ByCategory(ctx context.Context, category string) ([]registry.Entry, error) {
	c.categories++
	return c.Catalog.ByCategory(ctx, category)
}

func library() *registry.Merged {
	edit := func(f func(*registry.Tool)) func(*registry.Live) {
		return func(l *registry.Live) { f(l.Definition.Tool) }
	}
	where := func(w registry.Availability) func(*registry.Live) {
		return edit(func(t *registry.Tool) { t.Availability = &w })
	}
	web := func(tier registry.Tier) func(*registry.Live) {
		return edit(func(t *registry.Tool) { t.Category, t.Tier = "web", tier })
	}
	return registry.Merge([]registry.Live{
		tool(global, "yak", core),
		tool(global, "plain", edit(func(t *registry.Tool) { t.Aliases = []string{"old_plain"} })),
		tool(global, "off", deactivated),
		tool(global, "local", where(registry.Availability{LocalOnly: true})),
		tool(global, "remote", where(registry.Availability{NonLocalOnly: true})),
		tool(global, "semantic", where(registry.Availability{NeedsEmbedding: true})),
		tool(global, "later", edit(func(t *registry.Tool) { t.DeferLoading = true })),
		tool(global, "web_low", web(registry.TierLow)),
		tool(global, "web_high", web(registry.TierHigh)),
		tool(global, "web_none", web("")),
		tool(global, "mail", in("email")),
		list(global, registry.List{ID: "webby", Categories: []string{"web"}}),
		list(global, registry.List{ID: "gone", Tools: []string{"yak"}}),
		list(user, registry.List{ID: "gone", Tools: []string{"yak"}, Status: registry.Deactivated}),
		list(global, registry.List{ID: "mailing", Tools: []string{"yak"}}),
		list(user, registry.List{ID: "mailing", Tools: []string{"mail"}}),
	})
}

// list returns a live allow-list.
func list(layer registry.Layer, l registry.List) registry.Live {
	return registry.Live{Subject: registry.Subject{Kind: registry.KindList, Layer: layer, ID: l.ID}, Version: 1, Definition: registry.Definition{List: &l}}
}

// ofLibrary lists tools of the library, and one that does not exist.
var ofLibrary = []string{"yak", "plain", "off", "local", "remote", "semantic", "later", "ghost"}

// resolveCases have allow-lists and the expected choices.
var resolveCases = []struct {
	name     string
	list     registry.AllowList
	more     []string
	in       registry.Context
	want     []string
	warnings []string
	err      error
}{
	{
		name: "elsewhere", list: registry.AllowList{Tools: ofLibrary},
		want: []string{
			"+ yak: listed", "- ghost: not in the registry", "- later: deferred", "- local: local only", "- off: deactivated",
			"+ plain: listed", "+ remote: listed", "- semantic: needs embedding",
		},
		warnings: []string{`the allow-list contains "ghost", which is not in the registry`},
	},
	{
		name: "local", list: registry.AllowList{Tools: ofLibrary, ExcludeInLocal: []string{"old_plain", "nothing"}}, in: registry.Context{Local: true, Embedding: true, IncludeDeferred: true},
		want: []string{
			"+ yak: listed", "- ghost: not in the registry", "+ later: listed", "+ local: listed", "- off: deactivated",
			"- plain: excluded in local", "- remote: not offered in local", "+ semantic: listed",
		},
		warnings: []string{`the allow-list contains "ghost", which is not in the registry`},
	},
	{
		name: "by alias and by id", list: registry.AllowList{Tools: []string{"old_plain", "plain"}},
		want: []string{"+ plain: listed"},
	},
	{
		name: "categories", list: registry.AllowList{Tools: []string{"web_high"}, Categories: []string{"web"}}, more: []string{"email", "web"},
		want: []string{"+ mail: category email", "+ web_high: listed", "+ web_low: category web", "+ web_none: category web"},
	},
	{
		name: "tiers filter what categories bring in", list: registry.AllowList{Tools: []string{"web_high", "plain"}, Categories: []string{"web"}, Tiers: []registry.Tier{"low"}},
		want: []string{"+ plain: listed", "+ web_high: listed", "+ web_low: category web", "- web_none: tier filtered web"},
	},
	{
		name: "additions elsewhere", list: registry.AllowList{Tools: []string{"yak"}, AddWhenNonLocal: []string{"plain", "ghost"}, AddWhenEmbeddingOK: []string{"semantic"}},
		want:     []string{"+ yak: listed", "- ghost: not in the registry", "+ plain: added when not local", "- semantic: added only when embedding works"},
		warnings: []string{`the allow-list contains "ghost", which is not in the registry`},
	},
	{
		name: "additions in local", list: registry.AllowList{Tools: []string{"yak"}, AddWhenNonLocal: []string{"plain"}, AddWhenEmbeddingOK: []string{"semantic"}}, in: registry.Context{Local: true, Embedding: true},
		want: []string{"+ yak: listed", "- plain: added only when not local", "+ semantic: added when embedding works"},
	},
	{
		name: "by reference", list: registry.AllowList{Name: "webby"},
		want: []string{"+ web_high: category web", "+ web_low: category web", "+ web_none: category web"},
	},
	{name: "no such list", list: registry.AllowList{Name: "none"}, err: registry.ErrUnknownList},
	{name: "a list that is deactivated", list: registry.AllowList{Name: "gone"}, err: registry.ErrUnknownList},
	{
		name: "a list of a later layer", list: registry.AllowList{Name: "mailing"}, in: registry.Context{IncludeDeferred: true},
		want: []string{"+ mail: listed"},
	},
	{
		name: "every tool of a kind", list: registry.AllowList{Tools: []string{"yak"}, Kinds: []registry.ToolKind{registry.ActionTool}},
		in:   registry.Context{Local: true, Embedding: true, IncludeDeferred: true, MostOfKind: 2},
		want: []string{"+ yak: listed", "+ later: every tool of the kind action", "+ local: every tool of the kind action"},
	},
	{
		name: "every tool of a kind that there is none of", list: registry.AllowList{Kinds: []registry.ToolKind{registry.PromptTool}}, err: registry.ErrNoTools,
	},
	{name: "nothing allowed", err: registry.ErrNoTools},
	{name: "nothing known", list: registry.AllowList{Tools: []string{"ghost\x1b"}}, err: registry.ErrNoTools, want: []string{"- ghost\x1b: not in the registry"}, warnings: []string{`the allow-list contains "ghost\x1b", which is not in the registry`}},
	{name: "nothing left", list: registry.AllowList{Tools: []string{"later", "off"}}, err: registry.ErrNoTools, want: []string{"- later: deferred", "- off: deactivated"}},
	{name: "an empty category", more: []string{"tasks"}, err: registry.ErrNoTools},
}

func TestResolve(t *testing.T) {
	for _, tt := range resolveCases {
		t.Run(tt.name, func(t *testing.T) {
			r, err := registry.Resolve(t.Context(), registry.Agent{ID: "a", AllowList: &tt.list, Categories: tt.more}, tt.in, library())
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if got := choices(r); !slices.Equal(got, tt.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
			if !slices.Equal(r.Warnings, tt.warnings) {
				t.Errorf("warnings %q, want %q", r.Warnings, tt.warnings)
			}
			var in []string
			for _, e := range r.Tools() {
				in = append(in, "+ "+e.Subject.ID)
			}
			for _, line := range tt.want {
				if strings.HasPrefix(line, "+") && (len(in) == 0 || !strings.HasPrefix(line, in[0]+":")) {
					t.Fatalf("Tools has %v, not %s", in, line)
				} else if strings.HasPrefix(line, "+") {
					in = in[1:]
				}
			}
		})
	}
}

func TestResolveWithoutAllowList(t *testing.T) {
	r, err := registry.Resolve(t.Context(), registry.Agent{Categories: []string{"email"}}, registry.Context{}, library())
	if got := choices(r); err != nil || !slices.Equal(got, []string{"+ mail: category email"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := registry.Resolve(t.Context(), registry.Agent{}, registry.Context{}, library()); !errors.Is(err, registry.ErrNoTools) || err.Error() != "no tools remain: the allow-list contains no tools" {
		t.Errorf("got %v", err)
	}
	_, err = registry.Resolve(t.Context(), registry.Agent{AllowList: &registry.AllowList{Tools: []string{"later", "off", "ghost"}}}, registry.Context{}, library())
	if err == nil || err.Error() != "no tools remain: 1 not in the registry, 1 deferred, 1 deactivated" {
		t.Errorf("got %v", err)
	}
}

// TestResolveDoesNotScan checks that a list of ids takes one look-up, whatever its
// length and the size of the catalog.
func TestResolveDoesNotScan(t *testing.T) {
	c := &counting{Catalog: library()}
	list := &registry.AllowList{Tools: []string{"yak", "plain"}, Categories: []string{"web"}, ExcludeInLocal: []string{"mail"}}
	if _, err := registry.Resolve(t.Context(), registry.Agent{AllowList: list}, registry.Context{}, c); err != nil {
		t.Fatal(err)
	}
	if c.lookups != 1 || c.categories != 1 {
		t.Errorf("%d look-ups by name, %d by category", c.lookups, c.categories)
	}
}

type failing struct{ registry.Catalog }

var errDisk = errors.New("disk")

func (failing) ByName(context.Context, ...string) (map[string]registry.Entry, error) {
	return nil, errDisk
}

func (failing) ByCategory(context.Context, string) ([]registry.Entry, error) { return nil, errDisk }

func TestResolveReturnsErrors(t *testing.T) {
	for _, list := range []registry.AllowList{{Tools: []string{"a"}}, {Categories: []string{"web"}}, {ExcludeInLocal: []string{"a"}}} {
		if _, err := registry.Resolve(t.Context(), registry.Agent{AllowList: &list}, registry.Context{}, failing{}); !errors.Is(err, errDisk) {
			t.Errorf("%+v: %v", list, err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	for _, size := range []int{100, 100_000} {
		lives := make([]registry.Live, size)
		for i := range lives {
			lives[i] = tool(global, fmt.Sprintf("tool_%d", i), nil)
		}
		cat := registry.Merge(lives)
		list := &registry.AllowList{}
		for i := range 50 {
			list.Tools = append(list.Tools, fmt.Sprintf("tool_%d", i))
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				if _, err := registry.Resolve(b.Context(), registry.Agent{AllowList: list}, registry.Context{}, cat); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	lives := make([]registry.Live, 100_000)
	for i := range lives {
		lives[i] = tool(global, fmt.Sprintf("tool_%d", i), nil)
	}
	for b.Loop() {
		registry.Merge(lives)
	}
}

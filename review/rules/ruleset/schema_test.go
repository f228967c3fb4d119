package ruleset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
	"toolcrib/review/rules/schema"
)

func TestSchemas(t *testing.T) {
	shortrun.OneGoroutine(t)
	const id = `"id":{"description":"Only this one.","type":"string"}`
	for name, c := range map[string]struct {
		schema string
		want   []string
	}{
		"nothing at all":           {`{}`, []string{"D103 definition.inputSchema", "D304 definition.inputSchema"}},
		"no type":                  {`{"properties":{` + id + `}}`, []string{"D103 definition.inputSchema"}},
		"leads back to itself":     {`{"$ref":"#"}`, []string{"D101 definition.inputSchema"}},
		"another document":         {`{"$ref":"https://evil.example/x.json"}`, []string{"D102 definition.inputSchema.$ref", "D103 definition.inputSchema", "D304 definition.inputSchema"}},
		"too deep":                 {strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), []string{"D101 definition.inputSchema.not"}},
		"too large":                {`{"description":"` + strings.Repeat("x", 257<<10) + `"}`, []string{"D101 definition.inputSchema"}},
		"any type but the right":   {`{"properties":{` + id + `},"type":["array","string"]}`, []string{"D104 definition.inputSchema.type"}},
		"an object among others":   {`{"properties":{` + id + `},"type":["object","null"]}`, nil},
		"nested and bare":          {`{"properties":{` + id + `,"sort":{"description":"How.","properties":{"by":{"type":"string"}},"type":"object"}},"type":"object"}`, []string{"D201 definition.inputSchema.properties.sort.properties.by"}},
		"described by reference":   {`{"$defs":{"day":{"description":"YYYY-MM-DD","type":"string"}},"properties":{` + id + `,"since":{"$ref":"#/$defs/day"}},"type":"object"}`, nil},
		"described by an anchor":   {`{"$defs":{"day":{"$anchor":"day","description":"YYYY-MM-DD","type":"string"}},"properties":{` + id + `,"since":{"$ref":"#day"}},"type":"object"}`, nil},
		"bare by an anchor":        {`{"$defs":{"day":{"$anchor":"day","type":"string"}},"properties":{` + id + `,"since":{"$ref":"#day"}},"type":"object"}`, []string{"D201 definition.inputSchema.properties.since"}},
		"described in one branch":  {`{"properties":{` + id + `,"since":{"anyOf":[{"description":"YYYY-MM-DD","type":"string"},{"type":"null"}]}},"type":"object"}`, nil},
		"repeated under condition": {`{"if":{"properties":{"id":{"minLength":3}}},"then":{"properties":{"id":{"pattern":"^x"}}},"properties":{` + id + `},"type":"object"}`, nil},
		"blank description":        {`{"properties":{"id":{"description":" ","type":"string"}},"type":"object"}`, []string{"D201 definition.inputSchema.properties.id"}},
		"required in a branch":     {`{"anyOf":[{"required":["id"]},{"required":["name"]}],"properties":{` + id + `},"type":"object"}`, []string{"D203 definition.inputSchema.anyOf[1].required[0]"}},
		"required by the whole":    {`{"allOf":[{"properties":{"ids":{"description":"Which.","type":"string"}}}],"properties":{` + id + `},"required":["ids"],"type":"object"}`, []string{"D304 definition.inputSchema"}},
		"required of any name":     {`{"patternProperties":{"^x-":{"type":"string"}},"properties":{` + id + `},"required":["x-y"],"type":"object"}`, []string{"D304 definition.inputSchema"}},
		"under dependencies":       {`{"dependencies":{"id":{"properties":{"sort":{"type":"string"}},"required":["by"]}},"properties":{` + id + `},"type":"object"}`, []string{"D201 definition.inputSchema.dependencies.id.properties.sort", "D203 definition.inputSchema.dependencies.id.required[0]"}},
		"content of a string":      {`{"properties":{"id":{"contentSchema":{"properties":{"n":{"default":"x","description":"N.","type":"integer"}}},"description":"Which.","type":"string"}},"type":"object"}`, []string{"D204 definition.inputSchema.properties.id.contentSchema.properties.n.default"}},
		"default of null":          {`{"properties":{"id":{"default":null,"description":"Only this one.","type":"string"}},"type":"object"}`, nil},
		"default by reference":     {`{"$defs":{"n":{"maximum":9,"type":"integer"}},"properties":{` + id + `,"n":{"$ref":"#/$defs/n","default":10,"description":"How many."}},"type":"object"}`, []string{"D204 definition.inputSchema.properties.n.default"}},
		"default within a default": {`{"properties":{` + id + `,"o":{"default":{"n":"x"},"description":"How.","properties":{"n":{"default":1,"description":"N.","type":"integer"}},"type":"object"}},"type":"object"}`, []string{"D204 definition.inputSchema.properties.o.default"}},
		"default off the list":     {`{"properties":{"id":{"default":"c","description":"Which.","enum":["a","b"],"type":"string"}},"type":"object"}`, []string{"D204 definition.inputSchema.properties.id.default"}},
		"empty range":              {`{"properties":{"id":{"description":"Which.","maxLength":3,"minLength":5,"type":"string"}},"type":"object"}`, []string{"D205 definition.inputSchema.properties.id.minLength"}},
		"listed twice":             {`{"properties":{"id":{"description":"Which.","enum":["a","a","b"],"type":"string"}},"type":"object"}`, []string{"D205 definition.inputSchema.properties.id.enum"}},
		"a null among strings":     {`{"properties":{"id":{"description":"Which.","enum":["a",null],"type":"string"}},"type":"object"}`, nil},
		"a name of odd letters":    {`{"properties":{` + id + `,"a b\u202e":{"type":"string"}},"type":"object"}`, []string{`D201 definition.inputSchema.properties["a b\u202e"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := rulestest.Paths(t, schema.Rules(), rulestest.Example{Draft: rulestest.Accepting("get_invoices", c.schema)})
			for i := range got {
				if strings.HasPrefix(got[i], "D101 definition.inputSchema.not") {
					got[i] = "D101 definition.inputSchema.not" // the depth is irrelevant
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestTagArguments compares the arguments of a tag line with the input of the tool (C45).
func TestTagArguments(t *testing.T) {
	const (
		one    = `{"additionalProperties":false,"properties":{"path":{"description":"Which one.","type":"string"}},"required":["path"],"type":"object"}`
		raw    = `{"properties":{"raw_arg":{"description":"The rest of the line.","type":"string"},"limit":{"description":"How many.","type":"integer"}},"type":"object"}`
		two    = `{"properties":{"a":{"description":"First.","type":"string"},"b":{"description":"Second.","type":"string"}},"required":["a","b"],"type":"object"}`
		behind = `{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"description":"First.","type":"string"}},"type":"object"}}}`
	)
	for name, c := range map[string]struct {
		schema string
		tag    registry.Tag
		want   []string
	}{
		"the only parameter":       {one, registry.Tag{}, nil},
		"the raw argument":         {raw, registry.Tag{}, nil},
		"named":                    {two, registry.Tag{ArgPattern: "(a) (b)", ArgGroups: []string{"a", "b"}}, nil},
		"named by the pattern":     {one, registry.Tag{ArgPattern: "(?P<path>.+)"}, nil},
		"behind a reference":       {behind, registry.Tag{ArgGroups: []string{"a"}}, nil},
		"none of them":             {two, registry.Tag{}, []string{"argument", "a", "b"}},
		"another name":             {one, registry.Tag{ArgGroups: []string{"file"}}, []string{"file", "path"}},
		"one of two":               {two, registry.Tag{ArgGroups: []string{"a"}}, []string{"b"}},
		"wrong behind a reference": {behind, registry.Tag{ArgGroups: []string{"b"}}, []string{"b"}},
		"nothing":                  {one, registry.Tag{ArgPattern: "now"}, []string{"path"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := rulestest.Action("get_invoices")
			c.tag.Prefix = "INVOICES"
			d.Definition.Tool.InputSchema, d.Definition.Tool.Tag = []byte(c.schema), &c.tag
			var got []string
			for _, r := range schema.Rules() {
				if r.ID != "D206" {
					continue
				}
				for _, f := range rulestest.Check(t, r, rulestest.Example{Draft: d}) {
					got = append(got, f.Passage)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestOutputSchema checks that results may be of any type and that output schemas have no
// parameters.
func TestOutputSchema(t *testing.T) {
	d := rulestest.Action("get_invoices")
	d.Definition.Tool.OutputSchema = []byte(`{"properties":{"n":{"enum":["x"],"type":"integer"}},"required":["m"]}`)
	want := []string{"D203 definition.outputSchema.required[0]", "D205 definition.outputSchema.properties.n.enum"}
	if got := rulestest.Paths(t, schema.Rules(), rulestest.Example{Draft: d}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDataOfOthers checks that imported tools may have other conventions but have the same limits.
func TestDataOfOthers(t *testing.T) {
	d := rulestest.FromServer("delete_invoices", "delete_invoices")
	for raw, want := range map[string][]string{
		`{"properties":{"is_deleted":{"description":"Those that are gone.","type":"boolean"}},"type":"object"}`: nil,
		`{"properties":{"a":{},"b":{}},"type":"object"}`:                                                        {"D202 definition.inputSchema"},
		`{"$ref":"file:///etc/passwd"}`:                                                                         {"D101 definition.inputSchema.$ref"},
	} {
		d.Definition.Tool.InputSchema = []byte(raw)
		if got := rulestest.Paths(t, schema.Rules(), rulestest.Example{Draft: d}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
	d.Type = proposals.Deactivate
	if got := rulestest.Paths(t, schema.Rules(), rulestest.Example{Draft: d}); got != nil {
		t.Errorf("what goes out of use is held against it: %q", got)
	}
}

func TestSoftDeletes(t *testing.T) {
	list := schema.Rules()
	rule := list[slices.IndexFunc(list, func(r rules.Rule) bool { return r.ID == "D401" })]
	for text, want := range map[string]string{
		"is_deleted":                             "is_deleted",
		"Rows with isDeleted are left out.":      "isDeleted",
		"deletedAt":                              "deletedAt",
		"IS_DELETED = 0":                         "IS_DELETED",
		"include-deleted":                        "include-deleted",
		"It is a soft delete.":                   "soft delete",
		"Soft-deleted ones come back.":           "Soft-deleted",
		"What is deleted is gone.":               "",
		"deleted":                                "",
		"Ids that were deleted before.":          "",
		"A task deleted at night stays deleted.": "",
		"ist_deletedly":                          "",
	} {
		var got string
		for _, f := range rulestest.Check(t, rule, rulestest.OfText(text)) {
			got = f.Passage
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzSchema checks that no schema makes a rule panic and that all messages are printable.
func FuzzSchema(f *testing.F) {
	shortrun.OneGoroutine(f)
	for _, r := range family("D") {
		for _, e := range []rulestest.Example{r.bad, r.good} {
			f.Add(string(e.Draft.Definition.Tool.InputSchema))
		}
	}
	f.Add(`{"properties":{"\u001b[2J":{"default":"\u202e","enum":["\u0007"],"type":"string"}},"required":["\u009b"]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		d := rulestest.Accepting("update_invoices", schema)
		d.Definition.Tool.OutputSchema = d.Definition.Tool.InputSchema
		for _, r := range slices.Concat(family("D"), family("R"), family("B")) {
			for _, f := range rulestest.Check(t, r.Rule, rulestest.Example{Draft: d}) {
				for _, c := range f.Message + f.Path {
					if c < ' ' || c > '~' {
						t.Fatalf("%s holds %U: %q at %q", r.ID, c, f.Message, f.Path)
					}
				}
			}
		}
	})
}

// TestLargeSchema checks a schema close to the limits, with thousands of parts below a long name.
func TestLargeSchema(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	var b strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&b, `"p%d":{"enum":[1,1]},`, i)
	}
	long := strings.Repeat("\u20ac", 1_000)
	schema := `{"properties":{"` + long + `":{"properties":{` + strings.TrimSuffix(b.String(), ",") + `},"required":["x"]}}}`
	c := &rules.Change{Draft: rulestest.Accepting("get_invoices", schema), World: rules.Memory(nil)}
	most := 0
	for _, r := range family("D") {
		found, err := r.Check(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(found))
	}
	if most != rules.MaxPerText {
		t.Errorf("a rule tells of %d parameters; want %d", most, rules.MaxPerText)
	}
}

func TestImported(t *testing.T) {
	for want, tool := range map[bool][]registry.Tool{
		true:  {{Source: &registry.Source{}}, {Provider: &registry.Provider{Type: registry.ProviderMCP}}},
		false: {{}, {Provider: &registry.Provider{Type: registry.ProviderHTTP}}},
	} {
		for _, tl := range tool {
			if rules.Imported(&tl) != want {
				t.Errorf("%+v: want %v", tl, want)
			}
		}
	}
}

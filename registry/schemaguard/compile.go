// This file passes checked schemas to the validator. It also limits the work of validating
// a value.

package schemaguard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// Schema is a schema that is safe and valid. Its methods are safe for concurrent use.
type Schema struct {
	Checked
	compiled *jsonschema.Schema
	budget   matchBudget
}

// location is the URL of the schema in the validator.
const location = "mem:///schema"

// Compile checks a schema and prepares it for validation. The error is a jsondoc.Problems
// with the problems that Check found, or with the reason why the schema is not a valid
// JSON Schema.
func Compile(schema json.RawMessage) (*Schema, error) {
	c, err := Check(schema)
	if err != nil {
		return nil, err
	}
	return c.Compile()
}

// Compile prepares the schema for validation. The error is a jsondoc.Problems that
// describes an invalid JSON Schema.
func (c Checked) Compile() (*Schema, error) {
	s := &Schema{Checked: c}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(denyLoader{})
	compiler.UseRegexpEngine(s.budget.compile)
	if slices.Contains(dialects[:3], dialect(c.Root)) { // before 2019-09
		// These drafts do not define "$defs", but authors use it in them. Without this
		// vocabulary, the validator would prepare the whole document again for each
		// subschema in "$defs".
		compiler.RegisterVocabulary(&jsonschema.Vocabulary{
			URL:        "mem:///defs",
			Subschemas: []jsonschema.SchemaPath{{jsonschema.Prop("$defs"), jsonschema.AllProp{}}},
			Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
				return nil, nil
			},
		})
	}
	err := compiler.AddResource(location, c.graph.export(c.Root))
	if err == nil {
		s.compiled, err = compiler.Compile(location)
	}
	if err == nil {
		return s, nil
	}
	var ps jsondoc.Problems
	var invalid *jsonschema.SchemaValidationError
	var found *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &found) {
		ps = explain(found, c.Root, nil)
	} else {
		ps.Add(jsondoc.Root, "is not a valid JSON Schema: %s", jsondoc.Printable(err.Error()))
	}
	return nil, ps.Locate(c.Root)
}

// denyLoader refuses to load any document.
type denyLoader struct{}

func (denyLoader) Load(string) (any, error) {
	return nil, errors.New("external documents are not loaded")
}

// export converts n for the validator. It omits the keywords that would make the validator
// look for other documents. For a subschema with an unknown target, it returns false, the
// schema that accepts no value.
func (g *graph) export(n *jsondoc.Node) any {
	switch n.Kind {
	case jsondoc.Object:
		v := g.byNode[n]
		if v != nil && v.open {
			return false
		}
		object := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			switch {
			case v == nil:
				object[m.Key] = g.export(m.Value)
			case m.Key == "$schema", m.Key == "$vocabulary":
			case (m.Key == "$id" || m.Key == "id") && !strings.HasPrefix(m.Value.Text, "#"):
			default:
				object[m.Key] = g.export(m.Value)
			}
		}
		if address := dialect(n); v != nil && v == g.root && address != "" {
			object["$schema"] = "http://" + address
		}
		return object
	case jsondoc.Array:
		return lists.Map(n.Items, g.export)
	case jsondoc.String:
		return n.Text
	case jsondoc.Number:
		return json.Number(n.Text)
	case jsondoc.Bool:
		return n.Text == "true"
	case jsondoc.Null:
	}
	return nil
}

// value converts n, which is not part of a schema, for the validator.
func value(n *jsondoc.Node) any { return (&graph{}).export(n) }

// Scope selects the values that a subschema applies to, relative to the value that its
// parent schema applies to.
type Scope uint8

// The scopes. The scope Nowhere is for subschemas that only references apply, and for
// subschemas that describe the content of a string.
const (
	Nowhere   Scope = iota
	Here            // the same value
	Member          // the object member whose name is Subschema.Key
	Members         // any member of an object
	Names           // the names of the members of an object
	ElementAt       // the array element whose index is Subschema.Index
	Elements        // any element of an array
)

// shape is a bit set of the forms in which a keyword can contain subschemas.
type shape uint8

const (
	one    shape = 1 << iota // a schema
	list                     // an array of schemas
	byName                   // an object of schemas
)

// keywords maps each keyword that contains subschemas, in any draft, to their shape and
// scope. The values of "dependencies" can also be arrays of names, which are not
// subschemas.
var keywords = map[string]struct {
	shape shape
	scope Scope
}{
	"allOf":                 {list, Here},
	"anyOf":                 {list, Here},
	"oneOf":                 {list, Here},
	"not":                   {one, Here},
	"if":                    {one, Here},
	"then":                  {one, Here},
	"else":                  {one, Here},
	"dependentSchemas":      {byName, Here},
	"dependencies":          {byName, Here},
	"properties":            {byName, Member},
	"patternProperties":     {byName, Members},
	"additionalProperties":  {one, Members},
	"unevaluatedProperties": {one, Members},
	"propertyNames":         {one, Names},
	"prefixItems":           {list, ElementAt},
	"items":                 {one | list, Elements},
	"additionalItems":       {one, Elements},
	"unevaluatedItems":      {one, Elements},
	"contains":              {one, Elements},
	"$defs":                 {byName, Nowhere},
	"definitions":           {byName, Nowhere},
	"contentSchema":         {one, Nowhere},
}

// references lists the keywords that refer to another schema.
var references = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

// Holds reports whether a keyword contains subschemas. The result named reports whether
// these subschemas have names that the author of the schema chose.
func Holds(keyword string) (holds, named bool) {
	k, ok := keywords[keyword]
	return ok, k.shape == byName
}

// Subschema is a schema that is a part of another schema, under a keyword.
type Subschema struct {
	Node  *jsondoc.Node // an object, true or false
	Scope Scope
	Key   string // name of the subschema if the keyword contains an object of schemas
	Index int    // index of the subschema if the keyword contains an array

	keyword string
	shape   shape
}

// Subschemas returns the subschemas in m, a member of a schema. It returns none if the
// value of m has the wrong shape; Compile rejects such a value.
func Subschemas(m jsondoc.Member) []Subschema {
	var held []Subschema
	k := keywords[m.Key]
	add := func(s Subschema) {
		if s.Node.Kind == jsondoc.Object || s.Node.Kind == jsondoc.Bool {
			s.keyword = m.Key
			held = append(held, s)
		}
	}
	switch n := m.Value; {
	case n.Kind == jsondoc.Array && k.shape&list != 0:
		if m.Key == "items" { // before draft 2020-12, an array under "items" has a schema for each element
			k.scope = ElementAt
		}
		for i, item := range n.Items {
			add(Subschema{Node: item, Scope: k.scope, Index: i, shape: list})
		}
	case n.Kind == jsondoc.Object && k.shape&byName != 0:
		for _, named := range n.Members {
			add(Subschema{Node: named.Value, Scope: k.scope, Key: named.Key, shape: byName})
		}
	case k.shape&one != 0:
		add(Subschema{Node: n, Scope: k.scope, shape: one})
	}
	return held
}

// Path returns the path of s. The argument around is the path of the schema that contains
// s.
func (s Subschema) Path(around string) string {
	path := jsondoc.Join(around, s.keyword)
	switch s.shape {
	case byName:
		return jsondoc.Join(path, s.Key)
	case list:
		return jsondoc.Index(path, s.Index)
	case one:
	}
	return path
}

// JSON Schema uses the regular expressions of ECMA-262 with the flag u (JSON Schema Core
// 2020-12, section 6.4). Engines for these expressions backtrack, which can require
// exponential time. Therefore, each call of Validate limits the total time of its
// matches, and each match has limited memory.
const (
	maxMatching = 250 * time.Millisecond // the engine checks its clock every 100 ms
	maxStack    = 4 << 20                // integers on the stack of the backtracking engine
)

// dialectsOf lists the syntaxes of regular expressions, in the order in which
// compilePattern tries them. Many authors use legacy ECMA-262, or (?i) and \A from Perl.
var dialectsOf = [...]regexp2.RegexOptions{regexp2.ECMAScript | regexp2.Unicode, regexp2.ECMAScript, regexp2.None}

// compilePattern compiles a regular expression of at most MaxPattern characters.
func compilePattern(pattern string) (re *regexp2.Regexp, err error) {
	if n := utf8.RuneCountInString(pattern); n > MaxPattern {
		return nil, fmt.Errorf("is longer than %[2]d characters (got %[1]d)", n, MaxPattern)
	}
	defer func() {
		if recover() != nil { // the engine panicked; the expression is untrusted input
			re, err = nil, errNotRun
		}
	}()
	for _, options := range dialectsOf {
		if re, err = regexp2.Compile(pattern, options, regexp2.OptionMaxBacktrackingStackSize(maxStack)); err == nil {
			return re, nil
		}
	}
	return nil, errNotRun
}

// errNotRun indicates that an expression has none of the supported syntaxes.
var errNotRun = errors.New("has an unsupported syntax")

// checkPattern adds a problem if a regular expression is too long. It adds an expression
// with an unsupported syntax to the list of expressions that cannot be run.
func (g *graph) checkPattern(pattern string, s spot) {
	g.matches = true
	problem, known := g.patterns[pattern]
	if !known {
		_, problem = compilePattern(pattern)
		g.patterns[pattern] = problem
	}
	switch {
	case problem == nil:
	case !errors.Is(problem, errNotRun):
		g.refuse(s, "the regular expression %v", problem)
	case !g.unrun.Full():
		g.unrun.Add(s.path(), "the regular expression %v", problem)
	}
}

// matchBudget limits the total matching time of one validation. A validation with regular
// expressions holds the mutex busy. Such validations therefore run one after another.
type matchBudget struct {
	busy    sync.Mutex
	left    time.Duration
	problem string // reason why the first expression failed, or ""
}

// begin locks the budget and resets its time. The caller must call end.
func (b *matchBudget) begin() {
	b.busy.Lock()
	b.left, b.problem = maxMatching, ""
}

// end unlocks the budget. It returns the reason why an expression could not be matched, or
// "".
func (b *matchBudget) end() string {
	defer b.busy.Unlock()
	return b.problem
}

// compile implements jsonschema.RegexpEngine. The validator calls it for the expressions of
// the schema and for values that must be regular expressions.
func (b *matchBudget) compile(pattern string) (jsonschema.Regexp, error) {
	re, err := compilePattern(pattern)
	if err != nil && !errors.Is(err, errNotRun) {
		return nil, err
	}
	return limited{re, pattern, b}, nil // re is nil if the syntax is unsupported; other validators can support it
}

// limited is a regular expression. Its matches consume the time of a matchBudget.
type limited struct {
	re      *regexp2.Regexp // nil if it has an unsupported syntax
	pattern string
	budget  *matchBudget
}

func (l limited) String() string { return l.pattern }

// MatchString reports whether text matches the expression. If the expression cannot be run,
// MatchString records the problem, and the whole validation fails. Returning false would
// not be safe, because a schema can require that a value does not match. The caller must
// have called begin.
func (l limited) MatchString(text string) (matches bool) {
	if l.budget.problem != "" {
		return false
	}
	defer func() {
		if recover() != nil { // the engine panicked
			matches = l.fail(errNotRun.Error())
		}
	}()
	switch {
	case l.re == nil:
		return l.fail(errNotRun.Error())
	case l.budget.left <= 0:
		return l.fail("takes too long to match")
	}
	began := time.Now()
	l.re.MatchTimeout = l.budget.left
	matches, err := l.re.MatchString(text)
	l.budget.left -= time.Since(began)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return l.fail("needs too much memory to match")
	case err != nil:
		return l.fail("takes too long to match")
	}
	return matches
}

func (l limited) fail(why string) bool {
	l.budget.problem = fmt.Sprintf("the regular expression %s %s, so the value cannot be checked", jsondoc.Quote(l.pattern), why)
	return false
}

// maxNumber is the maximum length of a number, in characters.
const maxNumber = 100

// oddNumber returns the path of the first number in n that is longer than maxNumber or
// outside the range of a double, or "". The validator computes exactly, so a few thousand
// numbers of ten thousand digits each would keep it busy.
func oddNumber(n *jsondoc.Node) (found string) {
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		if v.Kind == jsondoc.Number {
			if _, err := strconv.ParseFloat(v.Text, 64); err != nil || len(v.Text) > maxNumber {
				found = path()
			}
		}
		return found == ""
	})
	return found
}

// Validate checks n against the schema. The error is a jsondoc.Problems with all
// mismatches, sorted by path. Validate rejects a value if the validation would need more
// than MaxWork steps. It also rejects a value if a required regular expression cannot be
// run or needs too much time.
func (s *Schema) Validate(n *jsondoc.Node) error {
	var ps jsondoc.Problems
	if path := oddNumber(n); path != "" {
		ps.Add(path, "the number is out of range")
		return ps.Locate(n)
	}
	m := meter{memo: map[pair]int{}, names: map[*jsondoc.Node][]*jsondoc.Node{}, members: map[*jsondoc.Node]map[string]*jsondoc.Node{}}
	if m.count(s.graph.root, n) > MaxWork {
		ps.Add(jsondoc.Root, "needs more than %d steps to validate", MaxWork)
		return ps.Locate(n)
	}
	if s.graph.matches { // validations run one after another; the time limit applies to each of them
		s.budget.begin()
	}
	err := s.compiled.Validate(value(n))
	if s.graph.matches {
		if short := s.budget.end(); short != "" {
			err = errors.New(short)
		}
	}
	if err == nil {
		return nil
	}
	found, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // never wrapped
	if !ok {
		ps.Add(jsondoc.Root, "cannot be validated: %s", jsondoc.Printable(err.Error()))
		return ps
	}
	return explain(found, n, s.Root).Locate(n)
}

// explain converts the validator's errors about n to problems. It sorts the problems
// because the validator iterates over maps.
func explain(err *jsonschema.ValidationError, n, schema *jsondoc.Node) jsondoc.Problems {
	e := explainer{document: n, schema: schema, printer: message.NewPrinter(language.English)}
	e.collect(err)
	slices.SortFunc(e.all, func(a, b jsondoc.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	var ps jsondoc.Problems
	ps.Append(slices.Compact(e.all)...)
	return ps
}

type explainer struct {
	document *jsondoc.Node
	schema   *jsondoc.Node
	printer  *message.Printer
	all      []jsondoc.Problem
}

// collect adds the innermost errors in err. An outer error only states that inner errors
// exist.
func (e *explainer) collect(err *jsonschema.ValidationError) {
	if alternatives(err) || len(err.Causes) == 0 {
		e.all = append(e.all, jsondoc.Problem{Path: e.path(err.InstanceLocation), Message: e.message(err)})
		return
	}
	for _, cause := range err.Causes {
		e.collect(cause)
	}
}

// alternatives reports whether err describes a value that matches none of several
// alternative schemas. The errors of the alternatives are then not reported separately,
// because the value needs to match only one alternative.
func alternatives(err *jsonschema.ValidationError) bool {
	switch err.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return len(err.Causes) > 1
	}
	return false
}

// maxAlternatives is the maximum number of alternatives that a message mentions.
const maxAlternatives = 3

func (e *explainer) message(err *jsonschema.ValidationError) string {
	if !alternatives(err) {
		if k, ok := err.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(k.Properties)
			return jsondoc.Printable(err.ErrorKind.LocalizedString(e.printer)) + e.known(err.SchemaURL)
		}
		return jsondoc.Printable(err.ErrorKind.LocalizedString(e.printer))
	}
	var reasons []string
	for _, cause := range err.Causes {
		if len(reasons) == maxAlternatives {
			reasons = append(reasons, "...")
			break
		}
		inner := explainer{document: e.document, schema: e.schema, printer: e.printer}
		inner.collect(cause)
		first := slices.MinFunc(inner.all, func(a, b jsondoc.Problem) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
		})
		reason := first.Message
		if here := e.path(err.InstanceLocation); first.Path != here {
			reason = first.Path + ": " + reason
		}
		reasons = append(reasons, reason)
	}
	return jsondoc.Printable("matches none of the alternatives (" + strings.Join(reasons, "; ") + ")")
}

// maxKnown is the maximum number of properties that a message lists.
const maxKnown = 30

// known returns a list of the properties that the schema at url defines. The list helps
// authors to correct an unknown property.
func (e *explainer) known(url string) string {
	_, pointer, _ := strings.Cut(url, "#")
	at := e.schema
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" {
			continue
		}
		if unescaped, err := neturl.PathUnescape(token); err == nil {
			token = unescaped
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if at != nil && at.Kind == jsondoc.Array {
			at = at.Find("[" + token + "]")
			continue
		}
		at = at.Get(token)
	}
	properties := at.Get("properties")
	if properties == nil || len(properties.Members) == 0 {
		return ""
	}
	names := lists.Map(properties.Members[:min(len(properties.Members), maxKnown)], func(m jsondoc.Member) string { return m.Key })
	return "; known properties: " + jsondoc.Printable(strings.Join(names, ", "))
}

// path converts a location reported by the validator to a path.
func (e *explainer) path(location []string) string {
	n, path := e.document, jsondoc.Root
	for _, token := range location {
		if n == nil || n.Kind != jsondoc.Array {
			n, path = n.Get(token), jsondoc.Join(path, token)
			continue
		}
		path += "[" + token + "]"
		n = n.Find("[" + token + "]")
	}
	return path
}

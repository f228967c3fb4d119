package schemaguard

import (
	"cmp"
	"errors"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolcrib/registry/jsondoc"
)

// Validate returns all mismatches of n with the schema, as a jsondoc.Problems
// sorted by path, with paths below jsondoc.Root. It refuses values that would take
// more than MaxWork steps, and values that need a regular expression which cannot
// be run or takes too long.
func (s *Schema) Validate(n *jsondoc.Node) error {
	var ps jsondoc.Problems
	if path := oddNumber(n); path != "" {
		ps.Add(path, "the number is out of range")
		return ps.Locate(n)
	}
	if s.work(n) > MaxWork {
		ps.Add(jsondoc.Root, "takes more than %d steps to validate", MaxWork)
		return ps.Locate(n)
	}
	err := s.validate(n)
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

// validate runs the validator. Validations of a schema with regular expressions run
// one after another, so that each has its own time limit.
func (s *Schema) validate(n *jsondoc.Node) error {
	if !s.graph.matches {
		return s.compiled.Validate(value(n))
	}
	s.budget.begin()
	err := s.compiled.Validate(value(n))
	if short := s.budget.end(); short != "" {
		return errors.New(short)
	}
	return err
}

// explain converts the errors of the validator about n to problems. It sorts them,
// because the validator iterates over maps.
func explain(found *jsonschema.ValidationError, n, schema *jsondoc.Node) jsondoc.Problems {
	e := explainer{document: n, schema: schema, printer: message.NewPrinter(language.English)}
	e.collect(found)
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

// collect adds the innermost errors. The outer ones only report that there are
// inner errors.
func (e *explainer) collect(found *jsonschema.ValidationError) {
	if alternatives(found) || len(found.Causes) == 0 {
		e.all = append(e.all, jsondoc.Problem{Path: e.path(found.InstanceLocation), Message: e.message(found)})
		return
	}
	for _, cause := range found.Causes {
		e.collect(cause)
	}
}

// alternatives reports whether found means that none of several schemas matches.
// The errors of the alternatives are not separate problems, because matching one of
// them is enough.
func alternatives(found *jsonschema.ValidationError) bool {
	switch found.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return len(found.Causes) > 1
	}
	return false
}

// maxAlternatives limits the number of alternatives in a message.
const maxAlternatives = 3

func (e *explainer) message(found *jsonschema.ValidationError) string {
	if !alternatives(found) {
		if k, ok := found.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(k.Properties)
			return jsondoc.Printable(found.ErrorKind.LocalizedString(e.printer)) + e.known(found.SchemaURL)
		}
		return jsondoc.Printable(found.ErrorKind.LocalizedString(e.printer))
	}
	var reasons []string
	for _, cause := range found.Causes {
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
		if here := e.path(found.InstanceLocation); first.Path != here {
			reason = first.Path + ": " + reason
		}
		reasons = append(reasons, reason)
	}
	return jsondoc.Printable("matches none of the alternatives (" + strings.Join(reasons, "; ") + ")")
}

// maxKnown limits the number of properties in a message.
const maxKnown = 30

// known lists the properties of the schema at a URL, to help find the right name of
// an unknown one.
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
	var names []string
	for _, m := range properties.Members[:min(len(properties.Members), maxKnown)] {
		names = append(names, m.Key)
	}
	return "; known properties: " + jsondoc.Printable(strings.Join(names, ", "))
}

// path converts the location of a value to a path.
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

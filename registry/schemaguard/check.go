package schemaguard

import (
	"encoding/json"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// What a schema may be at most.
const (
	MaxBytes      = 256 << 10
	MaxDepth      = 64    // levels of nested lists and objects
	MaxSubschemas = 5_000 // as written, applied to one value, and after expansion
	MaxPattern    = 1_000 // characters of one regular expression
)

// Checked is a schema that a validator can take safely. Whether it is valid is not
// known yet.
type Checked struct {
	Root *jsondoc.Node
	// Remarks are about accepted oddities: a schema that accepts anything, or a regular
	// expression that backtracks.
	Remarks jsondoc.Problems
	// Unrun lists the regular expressions that nothing here can run. A value that one
	// of them would have to judge is refused by Validate.
	Unrun jsondoc.Problems
	graph *graph
}

// Check reads a schema and refuses one that is not safe to work with. The error is a
// jsondoc.Problems with the reasons, with paths and positions in the schema.
func Check(schema json.RawMessage) (Checked, error) {
	n, err := jsondoc.Parse(schema, jsondoc.Limits{Bytes: MaxBytes, Depth: MaxDepth})
	if err != nil {
		return Checked{}, err
	}
	if n.Kind != jsondoc.Object && n.Kind != jsondoc.Bool {
		return Checked{}, jsondoc.Problems{{Path: jsondoc.Root, Pos: n.Pos, Message: "expected a schema: an object, true or false; got " + n.Kind.String()}}
	}
	g := newGraph(n)
	if len(g.problems) == 0 {
		g.count()
	}
	if len(g.problems) == 0 {
		g.checkNumbers()
	}
	if len(g.problems) > 0 {
		return Checked{}, g.problems.Locate(n)
	}
	g.remarkOnRoot()
	return Checked{Root: n, Remarks: g.remarks.Locate(n), Unrun: g.unrun.Locate(n), graph: g}, nil
}

// count refuses what becomes too large or never ends.
func (g *graph) count() {
	for _, v := range g.vertices {
		if g.inPlace(v) > MaxSubschemas {
			g.refuse(at(v), "applies more than %d subschemas to one value", MaxSubschemas)
			return
		}
	}
	if len(g.problems) > 0 {
		return
	}
	g.findComponents()
	for _, v := range g.vertices {
		if g.expand(v) > MaxSubschemas {
			g.refuse(at(v), "has more than %d subschemas after expansion", MaxSubschemas)
			return
		}
	}
}

// dialects are the values of $schema that are supported.
var dialects = [...]string{
	"json-schema.org/draft-04/schema",
	"json-schema.org/draft-06/schema",
	"json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema",
	"json-schema.org/draft/2020-12/schema",
}

// dialect returns which of the dialects the schema n names, "" for none or an
// unknown one.
func dialect(n *jsondoc.Node) string {
	named := n.Get("$schema")
	if named == nil || named.Kind != jsondoc.String {
		return ""
	}
	address := strings.TrimSuffix(named.Text, "#")
	_, address, _ = strings.Cut(address, "://")
	if !slices.Contains(dialects[:], address) {
		return ""
	}
	return address
}

func draft4(root *jsondoc.Node) bool { return dialect(root) == dialects[0] }

// remarkOnRoot reports what a schema lacks that accepts nearly anything.
func (g *graph) remarkOnRoot() {
	n := g.root.node
	if n.Kind != jsondoc.Object {
		return
	}
	named := n.Get("$schema")
	if named != nil && dialect(n) == "" {
		g.remark(at(g.root, "$schema"), "names no known dialect; read as 2020-12")
	}
	says := len(n.Members)
	if named != nil {
		says--
	}
	switch {
	case says == 0:
		g.remark(at(g.root), "accepts every value")
	case n.Get("type") == nil:
		g.remark(at(g.root), "has no type; the arguments of a tool are an object")
	}
}

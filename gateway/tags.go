// This file parses calls in a model's answer: tag lines and the strict JSON protocol.

package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/prompt/toolcall"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Limits of the parsing of tag lines.
const (
	MaxTagCalls = 256 // maximum number of calls in an answer

	maxTagSize  = 10_000      // maximum number of instructions of a compiled pattern
	maxTagSteps = 100_000_000 // maximum sum of instructions times bytes over all lines
)

// Parsed is the result of ParseTags.
type Parsed struct {
	Calls    []ParsedCall
	Problems []ParseProblem // lines that begin like a call but are not valid calls
	Display  string         // the answer without the lines that are hidden from the user
}

// ParsedCall is a valid call in a model's answer. The call has not run.
type ParsedCall struct {
	Tool registry.Live
	Name string          // name in the answer: the prefix of a tag, or the name of a tool
	Args json.RawMessage // an object in canonical form
	Line int             // number of the line in the answer, from 1; 0 if the call is the whole answer
}

// ParseProblem describes a line that begins with the prefix of a tag but is not a valid call.
type ParseProblem struct {
	Line    int    `json:"line"` // number of the line in the answer, from 1
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// tag is the tag of a tool, compiled for parsing.
type tag struct {
	tool    registry.Live
	pattern *regexp.Regexp // matches the whole text after the prefix; nil if the pattern cannot be used
	steps   int            // number of instructions of the compiled pattern
	groups  []string       // name of the argument for each group of the pattern
	types   map[string][]string
	problem string // reason why the pattern cannot be used; "" if it can
}

// ParseTags parses the tag lines in a model's answer. A tag line is a call in the form "PREFIX: argument", where PREFIX
// is the tag of a tool of the caller's agent. ParseTags ignores white space around a line. Parsed.Display is the answer
// without the valid tag lines of tools with stripFromDisplay, which is the default. The work is limited, and linear in
// the size of the answer.
func (g *Gateway) ParseTags(ctx context.Context, c Caller, answer string) (Parsed, error) {
	if len(answer) > toolcall.MaxAnswer {
		return Parsed{}, &Error{Code: CodeFormat, Message: fmt.Sprintf("The answer has %d bytes; the limit is %d.", len(answer), toolcall.MaxAnswer)}
	}
	set, err := g.toolsets.of(ctx, c)
	if err != nil {
		return Parsed{}, err
	}
	r := tagReader{gateway: g, tags: set.tags(), steps: maxTagSteps}
	var display strings.Builder
	for line := range strings.Lines(answer) {
		r.line++
		if strip := r.read(line); !strip {
			display.WriteString(line)
		}
		if len(r.found.Calls) > MaxTagCalls {
			return Parsed{}, &Error{Code: CodeFormat, Message: fmt.Sprintf("The answer has more than %d calls.", MaxTagCalls)}
		}
	}
	r.found.Display = display.String()
	return r.found, nil
}

// tags returns the tags of all tools in s, keyed by prefix.
func (s *toolset) tags() map[string][]tag {
	s.tagsOnce.Do(func() {
		s.tagged = map[string][]tag{}
		for _, e := range s.entries {
			if t := e.Definition.Tool.Tag; t != nil && t.Prefix != "" {
				s.tagged[t.Prefix] = append(s.tagged[t.Prefix], newTag(e.Live, *t))
			}
		}
	})
	return s.tagged
}

func newTag(tool registry.Live, def registry.Tag) tag {
	t := tag{tool: tool, types: propertyTypes(tool.Definition.Tool.InputSchema)}
	pattern := `\A(?:` + cmp.Or(def.ArgPattern, registry.DefaultArgPattern) + `)\z`
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err == nil {
		var program *syntax.Prog
		if program, err = syntax.Compile(parsed.Simplify()); err == nil {
			t.steps = len(program.Inst)
		}
	}
	switch {
	case err != nil:
		t.problem = "the pattern is not a valid regular expression: " + jsondoc.Printable(err.Error())
		return t
	case t.steps > maxTagSize:
		t.problem = fmt.Sprintf("the compiled pattern has %d instructions; the limit is %d", t.steps, maxTagSize)
		return t
	}
	t.pattern = regexp.MustCompile(pattern)
	t.groups = tool.Definition.Tool.TagArguments(t.pattern)
	return t
}

// tagReader parses the lines of an answer.
type tagReader struct {
	gateway *Gateway
	tags    map[string][]tag
	line    int
	steps   int // remaining steps of maxTagSteps
	found   Parsed
}

// read parses a line, and adds a call or a problem to r.found. It returns true if the line must be hidden from the
// user.
func (r *tagReader) read(line string) (strip bool) {
	line = strings.Trim(line, " \t\r\n")
	prefix, argument := "", ""
	for head := line[:min(len(line), 257)]; len(r.tags[prefix]) == 0; { // find the longest prefix that is the tag of a tool
		at := strings.LastIndexByte(head, ':')
		if at < 0 {
			return false
		}
		head = head[:at]
		prefix, argument = strings.TrimRight(head, " \t"), strings.TrimLeft(line[at+1:], " \t")
	}
	tags := r.tags[prefix]
	if len(tags) > 1 {
		ids := lists.Map(tags, func(t tag) string { return t.tool.Subject.ID })
		return r.problem(CodeAmbiguous, "%d tools have the tag %s: %s; propose a different tag for each", len(ids), jsondoc.Quote(prefix), strings.Join(ids, ", "))
	}
	t := tags[0]
	id := t.tool.Subject.ID
	if t.pattern == nil {
		return r.problem(CodeArguments, "the tag of %s cannot be read: %s", id, t.problem)
	}
	if r.steps -= t.steps * (len(argument) + 1); r.steps < 0 {
		return r.problem(CodeArguments, "matching the line with the pattern of %s is too slow; shorten the line", id)
	}
	match := t.pattern.FindStringSubmatchIndex(argument)
	if match == nil {
		return r.problem(CodeArguments, "the text after %s does not match the pattern of %s", jsondoc.Quote(prefix+":"), id)
	}
	args := jsondoc.NewObject()
	for i, name := range t.groups {
		if from, to := match[2*i+2], match[2*i+3]; from >= 0 {
			args.Set(name, typedValue(argument[from:to], t.types[name]))
		}
	}
	canonical := jsondoc.Canonical(args)
	if _, err := readArguments(canonical, Caller{}); err != nil {
		return r.problem(CodeArguments, "%s", err)
	}
	if err := r.gateway.schemas.validate(t.tool, args); err != nil {
		return r.problem(CodeArguments, "%s", err)
	}
	r.found.Calls = append(r.found.Calls, ParsedCall{Tool: t.tool, Name: prefix, Args: canonical, Line: r.line})
	asked := t.tool.Definition.Tool.Tag.StripFromDisplay
	return asked == nil || *asked
}

func (r *tagReader) problem(code Code, format string, args ...any) bool {
	if len(r.found.Problems) < MaxTagCalls {
		r.found.Problems = append(r.found.Problems, ParseProblem{Line: r.line, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	return false
}

// ParseJSON parses a model's answer as a single call in the strict JSON protocol. It checks the following in this
// order: the answer has the form of a call, the caller's agent has the tool, the nonce in the call equals the given
// nonce of the turn, and the arguments are valid. If a check fails, the error is an *Error with the code that the
// protocol defines for the check.
func (g *Gateway) ParseJSON(ctx context.Context, c Caller, answer, nonce string) (ParsedCall, error) {
	call, err := toolcall.Parse(answer)
	if err != nil {
		return ParsedCall{}, protocolError(err)
	}
	_, e, err := g.toolsets.lookup(ctx, c, call.Tool)
	switch {
	case errors.Is(err, CodeNotAllowed):
		// Do not reveal tools that the agent does not have.
		return ParsedCall{}, unknown(call.Tool)
	case err != nil:
		return ParsedCall{}, err
	}
	if err := call.Verify(func(string) bool { return true }, nonce); err != nil {
		return ParsedCall{}, protocolError(err)
	}
	if err := g.schemas.validate(e.Live, call.Args); err != nil {
		return ParsedCall{}, err
	}
	return ParsedCall{Tool: e.Live, Name: call.Tool, Args: jsondoc.Canonical(call.Args)}, nil
}

// protocolError converts an error of package toolcall to an *Error. It returns other errors unchanged.
func protocolError(err error) error {
	code := toolcall.Code(err)
	if code == "" {
		return err
	}
	return &Error{Code: Code(code), Message: fmt.Sprintf("The answer is not a call: %v.", err)}
}

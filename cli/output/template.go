package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"text/template"
	"text/template/parse"
	"time"

	"toolcrib/cli/process"
	"toolcrib/internal/visible"
)

// A template is a program that does not have to end, and its functions make texts of
// any length. So each of its lists counts as a step, which ends it with the command
// or when its time is over, and its functions and its output are counted.

// templateLimits bound a template.
type templateLimits struct {
	bytes int           // that it writes, and that its functions make in all
	time  time.Duration // 0 for no limit
}

// templateLimits returns the limits on this machine, or through a door of a server.
func (a *Printer) templateLimits() templateLimits {
	if a.Guest {
		return templateLimits{bytes: 16 << 20, time: 5 * time.Second}
	}
	return templateLimits{bytes: maxFiltered}
}

var (
	errTemplateText = errors.New("it makes too much text")
	errTemplateTime = errors.New("it takes too long")
)

// stepFunction is the function that each list of a template begins with.
const stepFunction = "step"

// SetTemplate takes --template, which is of the document of --json.
func (f *Format) SetTemplate(text string) error {
	if f.JQ != nil {
		return errTwoFilters
	}
	t, err := template.New("--template").Option("missingkey=zero").Funcs(new(templateRun).functions()).Parse(text)
	if err != nil {
		return err
	}
	calls := map[string][]string{}
	for _, one := range t.Templates() {
		calls[one.Name()] = countSteps(one.Root)
	}
	if name := recursive(calls); name != "" {
		return fmt.Errorf("the template %q includes itself", name)
	}
	f.Template, f.JSON = t, true
	return nil
}

// countSteps puts a step at the beginning of a list and of every one in it. It returns
// the names of the templates that they include.
func countSteps(list *parse.ListNode) (included []string) {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		var branch *parse.BranchNode
		switch n := node.(type) {
		case *parse.TemplateNode:
			included = append(included, n.Name)
			continue
		case *parse.IfNode:
			branch = &n.BranchNode
		case *parse.RangeNode:
			branch = &n.BranchNode
		case *parse.WithNode:
			branch = &n.BranchNode
		default:
			continue
		}
		included = slices.Concat(included, countSteps(branch.List), countSteps(branch.ElseList))
	}
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{parse.NewIdentifier(stepFunction)}}
	step := &parse.ActionNode{NodeType: parse.NodeAction, Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{call}}}
	list.Nodes = append([]parse.Node{step}, list.Nodes...)
	return included
}

// recursive returns the name of a template that includes itself, or one that does;
// "" for none. Each level of recursion takes stack, of which there is no limit.
func recursive(calls map[string][]string) string {
	const begun, ended = 1, 2
	state := map[string]int{}
	var visit func(name string) string
	visit = func(name string) string {
		if state[name] == begun {
			return name
		}
		if state[name] == 0 {
			state[name] = begun
			for _, other := range calls[name] {
				if found := visit(other); found != "" {
					return found
				}
			}
		}
		state[name] = ended
		return ""
	}
	for name := range calls {
		if found := visit(name); found != "" {
			return found
		}
	}
	return ""
}

// printTemplate writes a document as the template has it. What the template makes
// of it passes the gate like all text.
func (a *Printer) printTemplate(text []byte) error {
	doc, err := decodeDocument(text)
	if err != nil {
		return err
	}
	r := &templateRun{ended: a.Running.Err, limits: a.templateLimits(), began: time.Now()}
	if err := a.Form.Template.Funcs(r.functions()).Execute(r, doc); err != nil {
		if ended := r.ended(); ended != nil {
			return ended
		}
		return process.Usagef("the command succeeded, but --template cannot print its document: %v", err)
	}
	_, err = a.Env.Out.Write([]byte(visible.Text(r.out.String())))
	return err
}

// templateRun is one execution of a template.
type templateRun struct {
	ended  func() error // why the command is to end; nil while it is not
	limits templateLimits
	began  time.Time
	out    bytes.Buffer
	made   int // bytes of functions
}

// Write implements io.Writer for the output of the template.
func (r *templateRun) Write(p []byte) (int, error) {
	if r.out.Len()+len(p) > r.limits.bytes {
		return 0, r.tooMuch()
	}
	return r.out.Write(p)
}

func (r *templateRun) tooMuch() error {
	return fmt.Errorf("%w; the limit is %d MiB", errTemplateText, r.limits.bytes>>20)
}

// step returns an error when the execution is to end.
func (r *templateRun) step() (string, error) {
	if err := r.ended(); err != nil {
		return "", err
	}
	if r.limits.time > 0 && time.Since(r.began) > r.limits.time {
		return "", fmt.Errorf("%w; the limit is %s", errTemplateTime, r.limits.time)
	}
	return "", nil
}

// functions are step, and those that make texts.
func (r *templateRun) functions() template.FuncMap {
	const (
		escape = 6 // bytes for one, as in \u003c
		encode = 12
	)
	return template.FuncMap{
		stepFunction: r.step,
		"print":      r.bounded(1, fmt.Sprint),
		"println":    r.bounded(1, fmt.Sprintln),
		"html":       r.bounded(escape, template.HTMLEscaper),
		"js":         r.bounded(escape, template.JSEscaper),
		"urlquery":   r.bounded(escape, template.URLQueryEscaper),
		"printf":     r.printf,
		"json": func(v any) (string, error) {
			if err := r.account(encode * textSize(v)); err != nil {
				return "", err
			}
			text, err := json.Marshal(v)
			if err != nil {
				return "", fmt.Errorf("json: %w", err)
			}
			return string(text), nil
		},
	}
}

// bounded returns a function of templates that makes at most so many bytes of each of
// its arguments.
func (r *templateRun) bounded(factor int, fn func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		if err := r.account(factor * textSize(args)); err != nil {
			return "", err
		}
		return fn(args...), nil
	}
}

// maxPadding is the largest width or precision in a format.
const maxPadding = 1000

// printf is that of templates, with a bound on what a format asks for.
func (r *templateRun) printf(format string, args ...any) (string, error) {
	const quoted = 4 // bytes for one, as in \x00
	verbs, number := 0, 0
	for _, c := range format {
		switch {
		case c == '%':
			verbs, number = verbs+1, 0
		case c == '*':
			return "", fmt.Errorf("printf: %q takes a width from an argument; write it into the format", format)
		case '0' <= c && c <= '9':
			if number = min(10*number+int(c-'0'), maxPadding+1); number > maxPadding {
				return "", fmt.Errorf("printf: %.40q has a width over %d", format, maxPadding)
			}
		default:
			number = 0
		}
	}
	if err := r.account(len(format) + verbs*(maxPadding+quoted*textSize(args))); err != nil {
		return "", err
	}
	return fmt.Sprintf(format, args...), nil
}

// account counts bytes that a function may make.
func (r *templateRun) account(n int) error {
	if _, err := r.step(); err != nil {
		return err
	}
	if r.made += n; r.made > r.limits.bytes || n < 0 {
		return r.tooMuch()
	}
	return nil
}

// textSize returns at least how many bytes a value has as text.
func textSize(v any) int {
	const other = 32 // a number, a bool, nil, and what stands between two values
	switch v := v.(type) {
	case string:
		return len(v) + other
	case json.Number:
		return len(v) + other
	case []any:
		n := other
		for _, item := range v {
			n += textSize(item)
		}
		return n
	case map[string]any:
		n := other
		for key, item := range v {
			n += len(key) + textSize(item)
		}
		return n
	}
	return other
}

// This file reads the statements of a script.

package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
)

// command is a simple command. Its words are unquoted.
type command struct {
	at         int // offset of the name of the program
	words      []string
	offsets    []int // offsets of the words
	inner      []*syntax.Stmt
	program    string
	traits     trait
	known      bool
	elevatedBy string // program, such as sudo, that runs the command with more rights, or ""
	ignores    bool   // the command prints names into a file such as .gitignore
	piped      bool   // the output of the command goes into a pipe
}

// input describes the preceding commands in the pipeline of a command.
type input struct {
	fetched, decoded bool
	shell            bool // an interactive shell writes into the pipe
	piped            bool
	pipeline         string // the preceding commands, each followed by " | "
}

// statement adds the facts of s and of all statements nested in s.
func (r *reader) statement(s *syntax.Stmt) {
	piped := map[*syntax.Stmt]input{} // inputs of the stages of pipelines; a stage is visited after its pipeline
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			r.flatStatement(n, piped[n])
		case *syntax.BinaryCmd:
			if stages := pipeline(n, nil); len(stages) > 1 && piped[stages[1]].pipeline == "" { // the outermost pipeline is visited first
				var in input
				for i, stage := range stages {
					in.piped = i < len(stages)-1
					piped[stage] = in
					in.add(r.simple(stage))
				}
			}
		case *syntax.FuncDecl:
			if n.Name != nil {
				r.functions[n.Name.Value] = true
			}
		case *syntax.DeclClause:
			for _, a := range n.Args {
				r.assign(a)
			}
		}
		return true
	})
}

// maxPipeline limits the text of a pipeline. If the text has at least this length in bytes, no
// further command is added.
const maxPipeline = 400

// add records that c writes into the pipe. It does nothing if c is nil.
func (in *input) add(c *command) {
	if c == nil {
		return
	}
	in.fetched = in.fetched || c.traits&fetches != 0
	in.decoded = in.decoded || c.decodes()
	in.shell = in.shell || Interactive(c.words)
	if len(in.pipeline) < maxPipeline {
		in.pipeline += strings.Join(c.words, " ") + " | "
	}
}

// pipeline appends the stages of the pipeline b to stages, from left to right. It appends nothing
// if b is not a pipeline.
func pipeline(b *syntax.BinaryCmd, stages []*syntax.Stmt) []*syntax.Stmt {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		return stages
	}
	for _, side := range []*syntax.Stmt{b.X, b.Y} {
		if inner, ok := side.Cmd.(*syntax.BinaryCmd); ok && (inner.Op == syntax.Pipe || inner.Op == syntax.PipeAll) {
			stages = pipeline(inner, stages)
		} else {
			stages = append(stages, side)
		}
	}
	return stages
}

// decodes reports whether c decodes data and prints the result.
func (c *command) decodes() bool {
	return c.traits&decodes != 0 && slices.ContainsFunc(c.words[1:], func(w string) bool {
		return w == "-d" || w == "-D" || w == "--decode" || w == "-r" || w == "-di"
	})
}

// simple returns the resolved command of s, or nil if s is not a simple command.
func (r *reader) simple(s *syntax.Stmt) *command {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	c := &command{}
	for _, w := range call.Args {
		text, inner := r.word(w)
		c.words, c.offsets = append(c.words, text), append(c.offsets, r.shift+int(w.Pos().Offset()))
		c.inner = append(c.inner, inner...)
	}
	c.resolve()
	return c
}

// resolve sets the program of c. It skips wrappers such as env, and records wrappers such as sudo
// that run the command with more rights.
func (c *command) resolve() {
	for len(c.words) > 0 {
		name := c.words[0]
		if strings.HasPrefix(name, "/") {
			name = path.Base(name)
		}
		c.at, c.program = c.offsets[0], strings.TrimPrefix(name, `\`)
		c.traits, c.known = tables().programs[c.program]
		if c.traits&wraps == 0 || len(c.words) == 1 {
			return
		}
		if c.traits&raises != 0 {
			c.elevatedBy = c.program
		}
		skip := 1
		for skip < len(c.words) && (strings.HasPrefix(c.words[skip], "-") || strings.Contains(c.words[skip], "=") || c.words[skip] != "" && c.words[skip][0] >= '0' && c.words[skip][0] <= '9') {
			if w := c.words[skip]; c.traits&raises != 0 && (w == "-u" || w == "-g") {
				skip++
			}
			skip++
		}
		if skip >= len(c.words) {
			return
		}
		c.words, c.offsets = c.words[skip:], c.offsets[skip:]
	}
}

// word returns the text of w without quotes. Variables with a known value are replaced by their
// values. word also returns the commands that are substituted in w.
func (r *reader) word(w *syntax.Word) (string, []*syntax.Stmt) {
	var b strings.Builder
	var inner []*syntax.Stmt
	var parts func([]syntax.WordPart, int)
	parts = func(list []syntax.WordPart, depth int) {
		for _, p := range list {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(unescape(p.Value))
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				if depth < maxNesting {
					parts(p.Parts, depth+1)
				}
			case *syntax.ParamExp:
				if p.Param == nil {
					continue
				}
				if v := r.vars[p.Param.Value]; v != "" && b.Len() < 4<<10 {
					b.WriteString(v)
				} else if e := p.Exp; e != nil && e.Word != nil && slices.Contains(defaultValues, e.Op) && depth < maxNesting {
					parts(e.Word.Parts, depth+1)
				} else {
					b.WriteString("${" + p.Param.Value + "}")
				}
			case *syntax.CmdSubst:
				inner = append(inner, p.Stmts...)
				b.WriteString("${}")
			case *syntax.ProcSubst:
				inner = append(inner, p.Stmts...)
				b.WriteString("<()")
			case *syntax.ArithmExp, *syntax.ExtGlob, *syntax.BraceExp:
				b.WriteString("*")
			}
		}
	}
	if w != nil {
		parts(w.Parts, 0)
	}
	return b.String(), inner
}

// defaultValues are the operators that precede a default value, as in ${KEY:-~/.ssh/id_rsa}.
var defaultValues = []syntax.ParExpOperator{syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull}

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\\\n", "")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(" \"'$`\\;&|<>()", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// assign records the assigned value of a variable, and adds the facts that the value contains.
func (r *reader) assign(a *syntax.Assign) {
	if a.Name == nil || a.Value == nil {
		return
	}
	value, _ := r.word(a.Value)
	if len(value) < 512 {
		r.vars[a.Name.Value] = value
	}
	at := r.shift + int(a.Pos().Offset())
	literal.Variable(r.Doc, at, a.Name.Value)
	if in, ok := r.Within(at, a.Name.Value+"="+value); ok && literal.Setting(a.Name.Value, value) {
		literal.Scan(in, literal.Data, fact.Literal)
		return
	}
	if in, ok := r.Within(at, value); ok {
		literal.Scan(in, literal.Data, fact.Literal)
	}
}

// flatStatement adds the facts of s, except the facts of the statements nested in s. stdin is the
// standard input of s.
func (r *reader) flatStatement(s *syntax.Stmt, stdin input) {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		for _, a := range call.Assigns {
			r.assign(a)
		}
	}
	c := r.simple(s)
	if c != nil {
		for _, red := range s.Redirs {
			target, _ := r.word(red.Word)
			c.ignores = (c.program == "echo" || c.program == "printf") && (red.Op == syntax.RdrOut || red.Op == syntax.AppOut) && strings.HasSuffix(target, "ignore")
		}
		c.piped = stdin.piped
		r.command(c, stdin)
		if c.program == "alias" {
			for _, w := range c.words {
				name, _, _ := strings.Cut(w, "=")
				r.functions[name] = true
			}
		}
	}
	r.redirects(s, cmp.Or(c, &command{}))
	// "$_" is the last argument of the preceding command. It is not set while c contains command
	// substitutions, because they are visited later and still refer to the command before c.
	if c != nil && len(c.inner) == 0 && len(c.words) > 0 && len(c.words[len(c.words)-1]) < 512 {
		r.vars["_"] = c.words[len(c.words)-1] // bash(1), Special Parameters
	}
}

// redirects adds the facts of the redirections of s: the files that c writes or reads, and the
// texts of here-documents.
func (r *reader) redirects(s *syntax.Stmt, c *command) {
	for _, red := range s.Redirs {
		target, _ := r.word(red.Word)
		at := r.shift + int(red.Pos().Offset())
		switch red.Op { //nolint:exhaustive // the other operators duplicate a file descriptor
		case syntax.RdrIn, syntax.RdrInOut:
			if strings.HasSuffix(target, "ignore") {
				r.ReadsNames()
			}
			if in, ok := r.Within(at, target); ok {
				literal.Scan(in, literal.Data, fact.Literal)
			}
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if c.traits&fetches != 0 {
				r.fetched[path.Base(target)] = true
			}
			if literal.PlaceOf(target) == literal.Obeyed {
				r.Add(at, fact.Write, fact.Order, target)
			} else if in, ok := r.Within(at, target); ok {
				literal.Scan(in.Handled(), literal.Data, fact.Literal)
			}
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			body := red.Hdoc
			if red.Op == syntax.WordHdoc {
				body = red.Word
			}
			if body == nil {
				continue
			}
			text, _ := r.word(body)
			doc, ok := r.Within(r.shift+int(body.Pos().Offset()), text)
			switch {
			case !ok:
			case c.traits&shells != 0:
				Read(doc, nil)
			default:
				literal.Scan(doc, literal.Data, fact.Literal)
			}
		}
		if strings.HasPrefix(target, "/dev/tcp/") || strings.HasPrefix(target, "/dev/udp/") { // bash(1), REDIRECTION
			r.Sends()
			use := fact.FetchedRun
			if Interactive(c.words) {
				use = fact.Connected
			}
			r.Add(at, fact.Run, use, target)
			if host, _, _ := strings.Cut(target[len("/dev/tcp/"):], "/"); literal.Outside(host) {
				r.Add(at, fact.Out, "/dev/tcp", host)
			}
		}
	}
}

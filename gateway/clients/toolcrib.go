package clients

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"toolcrib/gateway/clients/spanedit"
)

// Start is how a client starts toolcrib: what the entry says once the programs in front of
// it (env, a shell) are taken away.
type Start struct {
	Program string
	Args    []string
	Dir     string     // absolute; "" for wherever the client runs
	Env     []Variable // on top of the client's, later ones override
	Cleared bool       // nothing of the client's environment is passed on
	EnvFile string     // a file with more variables; "" for none
}

// Inspect returns what a start of toolcrib would use. The command line implements it with
// its own commands and settings, so that an entry is read as the program reads it.
type Inspect func(Start) Use

// Use describes the program, the database and the server that a start of toolcrib uses.
type Use struct {
	Program  string // the file that runs, as far as it can be told
	Database string // for a screen; "" when it cannot be told
	// Differs says why this is not the user's toolcrib with the user's database and
	// settings; "" when it is.
	Differs string
	Line    Line // zero when it is not the guard
}

// Line is the command line of a guard, as its words.
type Line struct {
	Name            string // by which toolcrib knows the server
	Was, Token, URL string // the flags --was, --token-env and --url
	// Server is the argument with which the server begins: its command, or its URL. It is
	// -1 for a URL in another place than wrap writes it to.
	Server int
}

// Guard is how an entry starts toolcrib.
type Guard struct {
	Name     string // by which toolcrib knows the server; "" when nothing is guarded
	Program  string // as the entry has it; "" when it does not start toolcrib
	Runs     string // the file that runs, as far as it can be told
	Database string // for a screen
	Differs  string // why it is not the user's guard, "" when it is

	was, token  string
	first, last int // of the words of the entry, the program of the guard and the last one in front of rest
	rest        []string
	url         bool
	script      spanedit.Span // of the guard in the last word, where that is a program of a shell
	moved       string
	chdir       string // to which a program in front of the guard changes
}

// readGuard reads how an entry starts toolcrib. It is the zero Guard where the entry starts
// something else.
func (s *Server) readGuard(inspect Inspect) Guard {
	l, err := peel(append([]string{s.Command}, s.Args...))
	switch {
	case inspect == nil || err == nil && !isToolcrib(l.words[0]):
		return Guard{}
	case err != nil && !l.mentions:
		return Guard{}
	case err != nil:
		return Guard{Program: s.Command, Differs: "its command line cannot be read: " + err.Error()}
	}
	start := Start{Program: l.words[0], Args: l.words[1:], Dir: s.folder, Env: slices.Concat(s.Env, l.env), Cleared: l.cleared, EnvFile: s.node.Get("envFile").Str()}
	if l.dir != "" {
		start.Dir = joined(start.Dir, l.dir)
	}
	use := inspect(start)
	g := Guard{Program: start.Program, Runs: use.Program, Database: use.Database, Differs: use.Differs}
	if use.Line.Name == "" {
		return g
	}
	g.chdir = l.dir
	g.Name, g.was, g.token, g.url, g.first = use.Line.Name, use.Line.Was, use.Line.Token, use.Line.URL != "", l.first
	switch at := 1 + use.Line.Server; {
	case at == 0:
		g.moved, g.rest = "its URL is not the last word, as wrap writes it", []string{use.Line.URL}
	case l.places != nil:
		g.rest, g.script = l.words[at:], spanedit.Span{From: l.places[0], To: l.places[at]}
	default:
		g.rest, g.last = l.words[at:], l.first+at-1
	}
	if g.moved == "" && g.url && l.first > 0 {
		g.moved = "another program is in front of its guard"
	}
	return g
}

// joined returns a folder below another, "" when nobody knows where that is.
func joined(dir, name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case dir == "":
		return ""
	}
	return filepath.Join(dir, name)
}

// changed returns the folder after changing from dir, which may be relative, to name.
func changed(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return cmp.Or(name, dir)
	}
	return filepath.Join(dir, name)
}

// peeled is a command line without the programs in front that only set its environment.
type peeled struct {
	words    []string
	first    int // the place of words[0] in the whole; of a shell's program, that of the program
	env      []Variable
	cleared  bool
	dir      string
	places   []int // of the words in the text of a shell's program; nil without one
	mentions bool  // toolcrib is among the words
}

var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh"}

// errUnclear is for command lines that only the programs in them can read.
var errUnclear = errors.New("it does more than set variables")

// peel takes env and sh -c off a command line.
func peel(words []string) (peeled, error) {
	all := strings.Join(words, " ")
	l := peeled{words: words, mentions: strings.Contains(all, "toolcrib") && strings.Contains(all, "guard")}
	for range 4 {
		base := strings.TrimSuffix(filepath.Base(l.words[0]), ".exe")
		var err error
		switch {
		case base == "env" && len(l.words) > 1:
			err = l.peelEnv()
		case slices.Contains(shells, base) && len(l.words) > 1:
			err = l.peelShell()
		default:
			return l, nil
		}
		if err != nil {
			return l, err
		}
	}
	return l, errUnclear
}

// peelEnv reads the options and the variables of env.
func (l *peeled) peelEnv() error {
	set := pflag.NewFlagSet("env", pflag.ContinueOnError)
	set.SetInterspersed(false)
	cleared := set.BoolP("ignore-environment", "i", false, "")
	dir := set.StringP("chdir", "C", "", "")
	unset := set.StringArrayP("unset", "u", nil, "")
	if err := set.Parse(l.words[1:]); err != nil {
		return err
	}
	rest := set.Args()
	if len(rest) > 0 && rest[0] == "-" {
		*cleared, rest = true, rest[1:]
	}
	if *cleared {
		l.env, l.cleared = nil, true
	}
	for _, name := range *unset {
		l.env = append(l.env, Variable{name, ""})
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") {
		name, value, _ := strings.Cut(rest[0], "=")
		l.env, rest = append(l.env, Variable{name, value}), rest[1:]
	}
	if len(rest) == 0 {
		return errUnclear
	}
	l.dir = changed(l.dir, *dir)
	l.skip(len(l.words) - len(rest))
	return nil
}

func (l *peeled) skip(n int) {
	if l.places == nil {
		l.first += n
	} else {
		l.places = l.places[n:]
	}
	l.words = l.words[n:]
}

// peelShell reads the program of a shell: one command of plain words.
func (l *peeled) peelShell() error {
	if len(l.words) != 3 || l.words[1] != "-c" || l.places != nil {
		if l.words[1] == "-c" || strings.HasPrefix(l.words[1], "-") {
			return errUnclear
		}
		return fmt.Errorf("it starts the program %s of a shell", l.words[1])
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(l.words[2]), "")
	if err != nil {
		return err
	}
	if len(file.Stmts) != 1 {
		return errUnclear
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 {
		return errUnclear
	}
	literal := func(w *syntax.Word) string {
		plain := true
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case nil, *syntax.Word, *syntax.SglQuoted, *syntax.DblQuoted:
			case *syntax.Lit:
				plain = plain && !strings.ContainsAny(n.Value, "*?[~")
			default:
				plain = false
			}
			return plain
		})
		text, literalErr := expand.Literal(nil, w)
		if !plain || literalErr != nil {
			err = errUnclear
		}
		return text
	}
	for _, a := range call.Assigns {
		if a.Append || a.Index != nil || a.Array != nil {
			return errUnclear
		}
		value := ""
		if a.Value != nil {
			value = literal(a.Value)
		}
		l.env = append(l.env, Variable{a.Name.Value, value})
	}
	var words []string
	var places []int
	for _, w := range call.Args {
		words, places = append(words, literal(w)), append(places, int(w.Pos().Offset()))
	}
	if words[0] == "exec" && len(words) > 1 {
		words, places = words[1:], places[1:]
	}
	l.first += 2
	l.words, l.places = words, places
	return err
}

// VariablesIn returns the variables that a file such as VS Code's envFile sets.
func VariablesIn(file string) ([]Variable, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Variable
	for _, m := range setting().FindAllStringSubmatch(string(data), -1) {
		all = append(all, Variable{m[1], strings.Trim(strings.TrimSpace(m[2]), `"'`)})
	}
	return all, nil
}

var setting = lazily(`(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*[=:](.*)$`)

// Placeholder reports whether a client may put something else in the place of a part of
// the text.
func Placeholder(text string) bool { return reference().MatchString(text) }

// plainReference matches the placeholders of a variable alone.
var plainReference = lazily(`\$\{(?:env:)?(\w+)\}|\{env:(\w+)\}`)

// Expand returns text with variables in the place of ${X}, ${env:X} and {env:X}, as clients
// do it. It is false for other placeholders.
func Expand(text string, getenv func(string) string) (string, bool) {
	text = plainReference().ReplaceAllStringFunc(text, func(found string) string {
		m := plainReference().FindStringSubmatch(found)
		return getenv(m[1] + m[2])
	})
	return text, !Placeholder(text)
}

// folder returns the absolute folder in which a server of the file runs, "" for wherever
// its client does.
func (f *File) folder(s *Server) string {
	base := s.Project
	if f.Scope == Project {
		base = f.machine.Project
	}
	dir := workspaceFolder().ReplaceAllLiteralString(s.node.Get("cwd").Str(), base)
	switch {
	case dir == "":
		return base
	case Placeholder(dir):
		return ""
	}
	return joined(base, dir)
}

var workspaceFolder = lazily(`\$\{(?:workspaceFolder|CLAUDE_PROJECT_DIR)\}`)

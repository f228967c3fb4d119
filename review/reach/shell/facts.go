// This file derives facts from a single command.

package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/lists"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
)

// Args adds the facts of a command that a program runs without a shell.
func Args(d fact.Doc, words []string) {
	if len(words) == 0 {
		return
	}
	r := newReader(d, nil)
	c := &command{words: words, offsets: make([]int, len(words))}
	c.resolve()
	r.command(c, input{})
}

// command adds the facts of c. stdin is the standard input of c.
func (r *reader) command(c *command, stdin input) {
	if c.elevatedBy != "" {
		shown := c.elevatedBy
		if c.program != c.elevatedBy {
			shown += " " + c.program
		}
		r.Add(c.at, fact.Rights, c.elevatedBy, shown)
	}
	// args are the words after the program, without flags.
	args := lists.Filter(c.words[min(1, len(c.words)):], func(w string) bool { return !strings.HasPrefix(w, "-") && w != "" })
	name := c.program // the program, followed by its subcommand, if any
	if len(args) > 0 && (c.traits&family != 0 || c.traits&interpret != 0 && c.traits&shells == 0 && len(args[0]) < 80) {
		name += " " + args[0]
	}
	address := r.words(c, name)
	r.addFetchedRun(c, stdin, args)
	switch {
	case c.traits&raises != 0 || c.program == "" || strings.ContainsAny(c.program, "${}*<>") || r.functions[c.program]:
	case c.traits&(local|wraps) == 0 && (c.known || programName(c.program) || strings.HasPrefix(c.program, "./")):
		shown := strings.Join(c.words, " ")
		r.AddKey(c.at, fact.Run, fact.Command, shown, fact.Command+"\x00"+name+"\x00"+address)
	}
	r.packages(c, args, name)
	r.addPrintedSecrets(c, args, name)
	r.addChangedFiles(c, args, name)
	r.rights(c, name)
	if folder := c.wipes(args); folder != "" {
		r.Add(c.at, fact.File, fact.Wiped, c.program+" "+folder)
	}
}

// words adds the facts of the words of c. It returns the first host in these words, or "". name is the program of c
// with its subcommand.
func (r *reader) words(c *command, name string) (address string) {
	use := fact.Literal
	if c.known || programName(c.program) && strings.ToUpper(c.program) != c.program {
		use = c.program
	}
	for i, w := range c.words {
		if i == 0 && len(c.words) > 1 && c.known || i > 1 && c.program == "cp" && literal.SampleOf(c.words[i-1], w) {
			continue
		}
		at := c.offsets[i]
		if i > 0 && strings.HasSuffix(w, "ignore") && (c.piped || c.program != "grep") && c.program != "git" && c.program != "echo" && c.program != "printf" && !c.handles(i, name) {
			r.ReadsNames()
		}
		in, ok := r.Within(at, w)
		if !ok {
			return address
		}
		if host := hostOf(w); host != "" {
			address = cmp.Or(address, host)
			if c.traits&network != 0 && !strings.Contains(w, "://") && !strings.Contains(w, "@") {
				r.Add(at, fact.Out, c.program, host)
			}
		}
		if strings.ContainsAny(w, " \n") && c.traits&shells != 0 && i > 0 && strings.HasSuffix(c.words[i-1], "c") && strings.HasPrefix(c.words[i-1], "-") {
			Read(in, nil)
			continue
		}
		if before, name, ok := strings.Cut(w, "@"); ok && c.traits&network != 0 && (before == "" || strings.HasSuffix(before, "=") || before == "-d" || before == "-F") {
			in, _ = r.Within(at, name) // a file that curl(1) sends
		}
		if (name == "git add" || name == "git commit") && literal.PlaceOf(w) == literal.Credentials {
			r.Sends() // publishes the file to all readers of the repository
		}
		if !r.functions[c.program] && c.handles(i, name) {
			in = in.Handled()
		}
		literal.Scan(in, literal.Data, use)
	}
	if c.traits&network != 0 && c.uploads() || c.stores() {
		r.Sends()
	}
	return address
}

// handles reports whether c uses a file without printing its content. i is the index of the word with the name of the
// file. name is the program of c with its subcommand.
func (c *command) handles(i int, name string) bool {
	switch program := c.words[0]; {
	case strings.Contains(program, "/") && program != "/bin/"+c.program && program != "/usr/bin/"+c.program:
		return false // a program at another path may do anything
	case c.program == "ssh" || c.program == "scp" || c.program == "sftp":
		return i > 0 && c.words[i-1] == "-i"
	case c.program == "grep":
		for _, w := range c.words[1:] { // stop at an option with an argument, because -q may then be a pattern
			if quietOption().MatchString(w) {
				return true
			}
			if !grepFlags().MatchString(w) {
				break
			}
		}
		return false
	}
	if c.piped { // the name may refer to another program, as in: hash -p /bin/cat chmod; chmod FILE | nc HOST
		return false
	}
	return c.ignores && !strings.ContainsAny(c.words[i][:min(1, len(c.words[i]))], "~/$") || tables().handlers[c.program] || tables().handlers[name]
}

var (
	quietOption = lazyregexp.New(`^(?:-[EFGHIPRUZachilnorsvwxyz]*q[a-zA-Z]*|--quiet|--silent)$`)
	grepFlags   = lazyregexp.New(`^-[EFGHIPRUZachilnorsvwxyz]+$`) // options that take no argument
)

// stores reports whether c copies files to a remote host, according to the rows of kind "sends" in
// programs.tsv.
func (c *command) stores() bool {
	return slices.ContainsFunc(tables().senders, func(row []string) bool {
		if c.program != row[0] {
			return false
		}
		rest := row[1:]
		for _, w := range c.words[1:] {
			if len(rest) == 0 {
				break
			}
			if ok, err := path.Match(rest[0], w); err == nil && ok || strings.Contains(w, "${") {
				rest = rest[1:]
			}
		}
		return len(rest) == 0
	})
}

// uploads reports whether c, which runs a network program, sends data. It returns false for simple
// requests with curl(1) and wget(1), and for database clients, which use credentials as intended.
// It also returns false for rclone(1); see stores.
func (c *command) uploads() bool {
	if c.traits&fetches == 0 {
		return c.program != "psql" && !strings.HasPrefix(c.program, "mysql") && !strings.HasPrefix(c.program, "mongo") && c.program != "redis-cli" && c.program != "pg_dump" && c.program != "rclone"
	}
	if c.program != "curl" && c.program != "wget" {
		return true
	}
	return slices.ContainsFunc(c.words, func(w string) bool {
		return strings.HasPrefix(w, "-d") || strings.HasPrefix(w, "--data") || strings.HasPrefix(w, "-F") || strings.HasPrefix(w, "--form") || strings.HasPrefix(w, "-T") || strings.HasPrefix(w, "--upload") ||
			strings.HasPrefix(w, "--post") || strings.HasPrefix(w, "--body") || strings.HasPrefix(w, "-X") || w == "--json" || (strings.Contains(w, "${") || strings.Contains(w, "{}")) && (strings.Contains(w, "://") || hostOf(w) != "")
	})
}

// hostOf returns the host in the word w, or "". The word may be a URI, have the form
// user@host:path, or consist of the host alone. If a variable precedes the host, hostOf returns
// "*." and the fixed domain.
func hostOf(w string) string {
	if _, rest, ok := strings.Cut(w, "://"); ok {
		w = rest
	}
	w = w[strings.LastIndexByte(w, '@')+1:]
	if i := strings.IndexAny(w, "/:?"); i >= 0 {
		w = w[:i]
	}
	w = strings.ToLower(w)
	if i := strings.LastIndexByte(w, '}'); i >= 0 {
		var domain string
		if _, domain, _ = strings.Cut(w[i+1:], "."); literal.Outside(domain) {
			return "*." + domain
		}
		return ""
	}
	if !literal.Outside(w) || literal.FileExtension(w) {
		return ""
	}
	return w
}

// addFetchedRun adds a fact if c runs code that was downloaded or decoded, or connects a shell to
// the network.
func (r *reader) addFetchedRun(c *command, stdin input, args []string) {
	shown := strings.Join(c.words, " ")
	add := func(use string) { r.Add(c.at, fact.Run, use, shown) }
	for _, w := range c.words[min(1, len(c.words)):] {
		if c.traits&interpret != 0 && r.fetched[path.Base(w)] {
			add(fact.FetchedRun)
			return
		}
	}
	if len(c.words) > 0 && r.fetched[path.Base(c.words[0])] {
		add(fact.FetchedRun)
		return
	}
	connected := stdin.shell && netcats[c.program]
	for i, w := range c.words {
		switch {
		case c.traits&fetches != 0 && (w == "-o" || w == "-O" || w == "--output") && i+1 < len(c.words):
			r.fetched[path.Base(c.words[i+1])] = true
		case netcats[c.program] && (w == "-e" || w == "--exec" || w == "--sh-exec" || strings.HasPrefix(strings.ToUpper(w), "EXEC:") || strings.HasPrefix(strings.ToUpper(w), "SYSTEM:")): // ncat(1), socat(1)
			connected = true
		}
	}
	if connected {
		r.Add(c.at, fact.Run, fact.Connected, stdin.pipeline+shown)
	}
	if c.traits&interpret == 0 {
		return
	}
	for _, s := range c.inner { // bash <(curl …), eval "$(curl …)"
		stdin.add(r.simple(s))
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok {
			for _, stage := range pipeline(b, nil) {
				stdin.add(r.simple(stage))
			}
		}
	}
	shown = stdin.pipeline + shown
	if len(c.inner) == 0 && !c.readsInput(args) {
		if c.program == "deno" && len(args) > 1 && strings.Contains(args[1], "://") {
			add(fact.FetchedRun)
		}
		return
	}
	switch {
	case stdin.decoded:
		add(fact.DecodedRun)
	case stdin.fetched:
		add(fact.FetchedRun)
	case c.program == "eval":
		add(fact.Evaluated)
	}
}

// netcats are the programs that copy data between their standard streams and a network connection.
var netcats = map[string]bool{"nc": true, "ncat": true, "netcat": true, "socat": true, "telnet": true}

// readsInput reports whether c, which runs an interpreter, executes its standard input. This is the
// case if the arguments contain no file, module, or code.
func (c *command) readsInput(args []string) bool {
	for _, w := range c.words[1:] {
		if strings.HasPrefix(w, "-") && len(w) > 1 && !strings.HasPrefix(w, "--") && (c.traits&shells != 0 && strings.Contains(w, "c") || c.traits&shells == 0 && strings.ContainsAny(w[1:2], "cmepnr")) {
			return false
		}
		if w == "-s" || w == "-" {
			return true
		}
	}
	return len(args) == 0
}

// packages adds the packages that c installs or runs. It also adds the registry of these packages
// if the registry is unusual.
func (r *reader) packages(c *command, args []string, name string) {
	t := tables()
	registry := map[string]bool{}
	for i, w := range c.words {
		option, value, ok := strings.Cut(w, "=")
		if t.registry[option] || c.program == "pip" && option == "-i" {
			if !ok && i+1 < len(c.words) {
				value = c.words[i+1]
			}
			registry[value] = true
			if strings.ContainsAny(value, "./:") && !usualRegistries[hostOf(value)] {
				r.Add(c.offsets[i], fact.Run, fact.Registry, c.program+" "+value)
			}
		}
	}
	list := args[min(1, len(args)):]
	switch {
	case t.installer[c.program]:
		list = args[:min(1, len(args))]
	case !t.installer[name] && !t.installer[strings.Join(c.words[:min(2, len(c.words))], " ")]:
		return
	case name == "docker run" || name == "podman run":
		list = image(c.words)
	case c.program == "go" && args[0] == "run":
		list = list[:min(1, len(list))]
	case name == "uv tool" || name == "uv pip" || name == "claude plugin" || name == "claude mcp":
		list = list[min(1, len(list)):]
	}
	for _, p := range list {
		switch {
		case registry[p], strings.HasPrefix(p, "./") || p == "." || strings.HasPrefix(p, "/") || strings.Contains(p, "${") || strings.HasSuffix(p, ".txt") || strings.HasPrefix(p, "../") || strings.ContainsAny(p, " <>|"):
		case strings.HasPrefix(p, "git+") || strings.Contains(p, "://") || strings.HasPrefix(p, "github:"):
			r.Add(c.at, fact.Run, fact.FetchedRun, c.program+" "+p)
		default:
			r.Add(c.at, fact.Run, fact.Package, c.program+" "+p)
		}
	}
}

// usualRegistries are the hosts of the default registries of package managers.
var usualRegistries = map[string]bool{"registry.npmjs.org": true, "pypi.org": true, "files.pythonhosted.org": true, "registry.yarnpkg.com": true, "rubygems.org": true, "crates.io": true, "proxy.golang.org": true}

// image returns the container image of a docker run command, as a list of at most one element. The image is the first
// word that is neither an option nor the value of an option.
func image(command []string) []string {
	for i := 2; i < len(command); i++ {
		w := command[i]
		if strings.HasPrefix(w, "-") {
			if !strings.Contains(w, "=") && (len(w) == 2 && strings.Contains("-v-e-p-u-w-h-l-m", w) || slices.Contains([]string{"--name", "--network", "--volume", "--env", "--publish", "--user", "--workdir", "--mount", "--entrypoint", "--platform", "--env-file", "--memory", "--cpus", "--gpus"}, w)) {
				i++
			}
			continue
		}
		return command[i : i+1]
	}
	return nil
}

// addPrintedSecrets adds a fact if c prints credentials or the whole environment.
func (r *reader) addPrintedSecrets(c *command, args []string, name string) {
	two := name
	if len(args) > 1 {
		two = c.program + " " + args[0] + " " + args[1]
	}
	for _, command := range tables().secrets {
		if two == command || strings.HasPrefix(two, command+" ") || name == command {
			r.Add(c.at, fact.Secret, fact.Store, command)
		}
	}
	all := strings.Join(c.words, " ")
	if all == "env" || all == "printenv" || all == "export -p" || all == "declare -x" || all == "declare -p" || c.program == "env" && len(args) == 0 {
		r.Add(c.at, fact.Secret, fact.Environment, all)
	}
}

// addChangedFiles adds a fact for each file that c changes and that controls other programs.
func (r *reader) addChangedFiles(c *command, args []string, name string) {
	line, words := strings.Join(append([]string{c.program}, args...), " "), strings.Join(c.words, " ")
	for _, w := range tables().writers {
		option := strings.HasPrefix(w, name+" ") && strings.HasPrefix(words, w) // such as code --add-mcp
		if !option && line != w && !strings.HasPrefix(line, w+" ") {
			continue
		}
		if c.program == "git" && (len(args) < 3 || !strings.Contains(args[1], ".") || args[1] == "user.name" || args[1] == "user.email") || // reads a value, or sets the author
			c.program == "crontab" && slices.Contains(c.words, "-l") || slices.Contains(c.words, "--get") {
			continue
		}
		r.Add(c.at, fact.Write, w, words)
	}
	var targets []string
	switch c.program {
	case "tee", "touch", "dd":
		targets = args
	case "cp", "mv", "install", "ln":
		targets = args[max(0, len(args)-1):]
	case "sed", "perl":
		if slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(w, "-i") || w == "-pi" }) {
			targets = args[min(1, len(args)):]
		}
	case "curl", "wget":
		for i, w := range c.words[:max(0, len(c.words)-1)] {
			if w == "-o" || w == "-O" || w == "--output" {
				targets = append(targets, c.words[i+1])
			}
		}
	}
	for _, t := range targets {
		if t = strings.TrimPrefix(t, "of="); literal.PlaceOf(t) == literal.Obeyed {
			r.Add(c.at, fact.Write, fact.Order, t)
		}
	}
}

// rights adds the options of c that skip a check or widen permissions. It handles only options that have this effect in
// a particular program.
func (r *reader) rights(c *command, name string) {
	for _, w := range c.words[min(1, len(c.words)):] {
		short := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--")
		switch {
		case name == "git push" && (w == "-f" || w == "--force" || strings.HasPrefix(w, "--force-with-lease") || strings.HasPrefix(w, "+")), // git-push(1)
			name == "git commit" && short && strings.Contains(w, "n") && !strings.Contains(w, "m") && len(w) < 4,               // git-commit(1)
			c.program == "curl" && short && strings.Contains(w, "k") && len(w) < 6 && strings.Trim(w[1:], "fsSLkgGiIvX") == "", // curl(1)
			name == "gh pr" && w == "--admin",                 // gh pr merge
			c.program == "claude" && w == "bypassPermissions": // Claude Code, --permission-mode
			r.Add(c.at, fact.Rights, c.program, name+" "+w)
		}
	}
}

// Interactive reports whether command starts an interactive shell, which is a shell without a file
// and without commands in its arguments.
func Interactive(command []string) bool {
	if len(command) == 0 || tables().programs[path.Base(command[0])]&shells == 0 && command[0] != "cmd.exe" && command[0] != "powershell.exe" {
		return false
	}
	return !slices.ContainsFunc(command[1:], func(w string) bool { return w != "-i" && w != "-l" && w != "-li" && w != "-il" && w != "--login" })
}

// disks are the prefixes of the names of disks in /dev on Linux, macOS, and FreeBSD:
// https://www.kernel.org/doc/html/latest/admin-guide/devices.html.
var disks = []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md", "dm-", "mapper/", "disk", "rdisk", "ada", "da"}

// wipes returns the name of a folder or a device if c deletes its whole content. Otherwise, wipes returns "".
func (c *command) wipes(args []string) string {
	deletes := false
	switch {
	case c.program == "rm":
		deletes = slices.ContainsFunc(c.words, func(w string) bool {
			return w == "--recursive" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "rR")
		})
	case c.program == "find":
		deletes = len(args) == 1 && slices.Contains(c.words, "-delete")
	case strings.HasPrefix(c.program, "mkfs"), c.program == "shred", c.program == "dd":
		for _, w := range args {
			w = strings.TrimPrefix(w, "of=")
			if device, ok := strings.CutPrefix(w, "/dev/"); ok && slices.ContainsFunc(disks, func(d string) bool { return strings.HasPrefix(device, d) }) {
				return w
			}
		}
	}
	for _, w := range args {
		if folder, ok := literal.Whole(w); ok && deletes {
			return folder
		}
	}
	return ""
}

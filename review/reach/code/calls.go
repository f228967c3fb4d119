package code

import (
	"strings"
	"sync"
)

// effect is the purpose of a call.
type effect uint8

const (
	sends       effect = iota + 1 // to an address, or fetches from it
	runsShell                     // its text is a shell command
	runsArgs                      // its strings are the words of a command
	evaluates                     // its text is code
	decodes                       // returns what a text encodes
	writes                        // a file
	deletes                       // a folder
	weakens                       // skips a check or widens permissions
	skips                         // a test
	environment                   // the environment as a whole
	credentials                   // a store of them
)

// calls lists the effects of calls. A name that begins with "." is that of a method of any value;
// one that ends in ".*" stands for every member. A name behind a language and ":" means
// other things elsewhere.
var calls = []struct {
	names  string
	effect effect
	source string
}{
	// Python
	{"requests.* httpx.* urllib.request.urlopen urllib.request.Request urllib.request.urlretrieve urllib2.urlopen urlopen aiohttp.* http.client.* socket.socket socket.create_connection smtplib.* ftplib.* telnetlib.* paramiko.* websocket.* websockets.connect xmlrpc.client.* boto3.client boto3.resource pycurl.Curl urllib3.*", sends, "https://docs.python.org/3/library/internet.html; https://requests.readthedocs.io; https://www.python-httpx.org; https://docs.aiohttp.org"},
	{"os.system os.popen subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell commands.getoutput", runsShell, "https://docs.python.org/3/library/os.html; https://docs.python.org/3/library/subprocess.html"},
	{"subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen asyncio.create_subprocess_exec os.execv os.execve os.execvp os.execvpe os.execl os.execlp os.spawnl os.spawnlp os.spawnv os.spawnvp os.posix_spawn pty.spawn pexpect.spawn", runsArgs, "https://docs.python.org/3/library/subprocess.html; https://docs.python.org/3/library/pty.html"},
	{"eval python:exec python:compile python:__import__ importlib.import_module pickle.load pickle.loads marshal.loads dill.loads runpy.run_path yaml.unsafe_load ctypes.CDLL", evaluates, "https://docs.python.org/3/library/functions.html#exec; https://docs.python.org/3/library/pickle.html"},
	{"base64.b64decode base64.b32decode base64.decodebytes base64.urlsafe_b64decode b64decode bytes.fromhex binascii.unhexlify codecs.decode zlib.decompress bytearray.fromhex", decodes, "https://docs.python.org/3/library/base64.html; https://docs.python.org/3/library/binascii.html"},
	{".write_text .write_bytes shutil.copy shutil.copyfile shutil.move python:os.rename os.symlink os.replace .symlink_to", writes, "https://docs.python.org/3/library/pathlib.html; https://docs.python.org/3/library/shutil.html"},
	{"shutil.rmtree os.removedirs", deletes, "https://docs.python.org/3/library/shutil.html"},
	{"ssl._create_unverified_context os.setuid os.setgid", weakens, "https://docs.python.org/3/library/ssl.html; https://docs.python.org/3/library/os.html"},
	{"pytest.mark.skip pytest.skip unittest.skip", skips, "https://docs.pytest.org/en/stable/how-to/skipping.html; https://docs.python.org/3/library/unittest.html"},
	{"os.environ.items os.environ.copy os.environ.values", environment, "https://docs.python.org/3/library/os.html#os.environ"},
	{"keyring.get_password keyring.get_credential browser_cookie3.* win32crypt.CryptUnprotectData getpass.getpass", credentials, "https://pypi.org/project/keyring; https://pypi.org/project/browser-cookie3"},
	// JavaScript and TypeScript
	{"javascript:fetch javascript:axios axios.* XMLHttpRequest WebSocket EventSource navigator.sendBeacon http.get http.request https.get https.request http2.connect net.connect net.createConnection tls.connect dgram.createSocket dns.resolve dns.lookup javascript:got got.* node-fetch undici.* superagent.* needle.* nodemailer.createTransport $.ajax $.get $.post", sends, "https://fetch.spec.whatwg.org; https://nodejs.org/api/http.html; https://axios-http.com"},
	{"child_process.exec child_process.execSync execSync", runsShell, "https://nodejs.org/api/child_process.html"},
	{"child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync child_process.fork spawnSync execFileSync Bun.spawn Bun.spawnSync Deno.Command Deno.run execa execaSync", runsArgs, "https://nodejs.org/api/child_process.html; https://bun.com/docs/runtime/child-process; https://docs.deno.com/api/deno/~/Deno.Command"},
	{"javascript:Function vm.runInContext vm.runInNewContext vm.runInThisContext", evaluates, "https://tc39.es/ecma262/#sec-function-constructor; https://nodejs.org/api/vm.html"},
	{"atob String.fromCharCode String.fromCodePoint decodeURIComponent", decodes, "https://html.spec.whatwg.org/#atob"},
	{"fs.writeFile fs.writeFileSync fs.appendFile fs.appendFileSync fs.createWriteStream fs.copyFile fs.copyFileSync fs.rename fs.renameSync fs.symlink fs.symlinkSync fs.promises.writeFile fs.promises.appendFile writeFileSync appendFileSync javascript:writeFile javascript:appendFile Bun.write Deno.writeTextFile Deno.writeTextFileSync", writes, "https://nodejs.org/api/fs.html"},
	{"fs.rm fs.rmSync fs.rmdir fs.rmdirSync rimraf fs.promises.rm Deno.remove", deletes, "https://nodejs.org/api/fs.html"},
	{"it.skip test.skip describe.skip javascript:xit xdescribe xtest it.todo", skips, "https://jestjs.io/docs/api; https://mochajs.org/#inclusive-tests"},
	{"keytar.getPassword keytar.findCredentials", credentials, "https://github.com/atom/node-keytar"},
	// Ruby
	{"Net.HTTP.* URI.open HTTParty.* Faraday.* RestClient.* TCPSocket.new TCPSocket.open Excon.* Net.SMTP.*", sends, "https://docs.ruby-lang.org/en/master/Net/HTTP.html"},
	{"ruby:system php:system other:system ruby:exec php:exec Open3.* IO.popen Kernel.system Kernel.exec PTY.spawn", runsShell, "https://docs.ruby-lang.org/en/master/Kernel.html; https://docs.ruby-lang.org/en/master/Open3.html"},
	{"instance_eval class_eval Marshal.load YAML.unsafe_load", evaluates, "https://docs.ruby-lang.org/en/master/BasicObject.html"},
	{"Base64.decode64 Base64.strict_decode64 Base64.urlsafe_decode64", decodes, "https://docs.ruby-lang.org/en/master/Base64.html"},
	{"File.write File.binwrite IO.write FileUtils.cp FileUtils.mv FileUtils.ln_s File.symlink", writes, "https://docs.ruby-lang.org/en/master/FileUtils.html"},
	{"FileUtils.rm_rf FileUtils.rm_r FileUtils.remove_dir", deletes, "https://docs.ruby-lang.org/en/master/FileUtils.html"},
	{"ENV.to_h ENV.to_a ENV.each ENV.map", environment, "https://docs.ruby-lang.org/en/master/ENV.html"},
	// Go
	{"http.Get http.Post http.PostForm http.NewRequest http.NewRequestWithContext http.Head net.Dial net.DialTimeout smtp.SendMail websocket.Dial", sends, "https://pkg.go.dev/net/http; https://pkg.go.dev/net"},
	{"exec.Command exec.CommandContext syscall.Exec os.StartProcess", runsArgs, "https://pkg.go.dev/os/exec"},
	{"plugin.Open", evaluates, "https://pkg.go.dev/plugin"},
	{"base64.StdEncoding.DecodeString base64.URLEncoding.DecodeString base64.RawStdEncoding.DecodeString hex.DecodeString", decodes, "https://pkg.go.dev/encoding/base64"},
	{"os.WriteFile os.Create os.OpenFile os.Symlink os.Rename ioutil.WriteFile", writes, "https://pkg.go.dev/os"},
	{"os.RemoveAll", deletes, "https://pkg.go.dev/os#RemoveAll"},
	{"go:t.Skip go:t.SkipNow go:t.Skipf b.Skip", skips, "https://pkg.go.dev/testing#T.Skip"},
	{"os.Environ syscall.Environ", environment, "https://pkg.go.dev/os#Environ"},
	// PowerShell
	{"Invoke-WebRequest Invoke-RestMethod Start-BitsTransfer powershell:iwr powershell:irm .DownloadString .DownloadFile .DownloadData .UploadString .UploadData Net.WebClient System.Net.WebClient System.Net.Sockets.TCPClient Send-MailMessage Test-NetConnection", sends, "https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/invoke-webrequest; https://learn.microsoft.com/dotnet/api/system.net.webclient"},
	{"Invoke-Expression powershell:iex Add-Type Invoke-Command", evaluates, "https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/invoke-expression"},
	{"Start-Process", runsArgs, "https://learn.microsoft.com/powershell/module/microsoft.powershell.management/start-process"},
	{"Convert.FromBase64String System.Convert.FromBase64String", decodes, "https://learn.microsoft.com/dotnet/api/system.convert.frombase64string"},
	{"Set-Content Add-Content Out-File Copy-Item Move-Item New-Item", writes, "https://learn.microsoft.com/powershell/module/microsoft.powershell.management/set-content"},
	{"Remove-Item", deletes, "https://learn.microsoft.com/powershell/module/microsoft.powershell.management/remove-item"},
	{"Set-ExecutionPolicy Set-MpPreference Add-MpPreference Disable-WindowsOptionalFeature Set-NetFirewallProfile Add-LocalGroupMember", weakens, "https://learn.microsoft.com/powershell/module/microsoft.powershell.security/set-executionpolicy; https://learn.microsoft.com/powershell/module/defender"},
	{"Register-ScheduledTask New-ScheduledTask Set-ItemProperty New-ItemProperty New-Service Register-ScheduledJob", writes, "https://learn.microsoft.com/powershell/module/scheduledtasks/register-scheduledtask"},
	{"Get-StoredCredential Get-Credential Get-Secret", credentials, "https://learn.microsoft.com/powershell/utility-modules/secretmanagement"},
	// Others
	{"curl_init curl_exec fsockopen stream_socket_client file_get_contents reqwest.* ureq.* TcpStream.connect other:HttpClient URL.openConnection other:Socket LWP.UserAgent URLSession.shared", sends, "https://www.php.net/manual/book.curl.php; https://docs.rs/reqwest; https://docs.oracle.com/en/java/javase/21/docs/api/java.net.http"},
	{"shell_exec passthru php:popen other:popen proc_open other:os.execute io.popen", runsShell, "https://www.php.net/manual/ref.exec.php; https://www.lua.org/manual/5.4/manual.html#6.9"},
	{"Runtime.getRuntime.exec ProcessBuilder Process.Start Process.run Command.new std.process.Command.new", runsArgs, "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/ProcessBuilder.html; https://doc.rust-lang.org/std/process"},
	{"base64_decode gzinflate str_rot13", decodes, "https://www.php.net/manual/function.base64-decode.php"},
	{"file_put_contents php:fwrite fs.write std.fs.write Files.write Files.writeString", writes, "https://www.php.net/manual/function.file-put-contents.php; https://doc.rust-lang.org/std/fs"},
	{"other:System.getenv std.env.vars env.vars", environment, "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/System.html#getenv(); https://doc.rust-lang.org/std/env"},
}

type callTable struct {
	exact, method map[string]effect
	module        map[string]effect // names that end in ".*"
}

var table = sync.OnceValue(func() callTable {
	t := callTable{map[string]effect{}, map[string]effect{}, map[string]effect{}}
	for _, row := range calls {
		for name := range strings.FieldsSeq(row.names) {
			switch {
			case strings.HasSuffix(name, ".*"):
				t.module[strings.TrimSuffix(name, ".*")] = row.effect
			case name[0] == '.':
				t.method[name[1:]] = row.effect
			default:
				t.exact[name] = row.effect
			}
		}
	}
	return t
})

// quiet are members of modules that call nothing.
var quiet = map[string]bool{"exceptions": true, "RequestException": true, "HTTPError": true, "Response": true, "ConnectionError": true, "Timeout": true, "isAxiosError": true, "AxiosError": true, "codes": true, "packages": true}

// effectOf returns the effect of a call of name, a path with dots; 0 for none.
func effectOf(name, lang string) effect {
	t := table()
	if e, ok := t.exact[name]; ok {
		return e
	}
	if e, ok := t.exact[lang+":"+name]; ok {
		return e
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return 0
	}
	last := name[dot+1:]
	for module := name[:dot]; ; {
		if e, ok := t.module[module]; ok && !quiet[last] && !strings.HasSuffix(last, "Error") {
			return e
		}
		i := strings.LastIndexByte(module, '.')
		if i < 0 {
			break
		}
		module = module[:i]
	}
	return t.method[last]
}

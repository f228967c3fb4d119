package shell

import (
	"strings"
	"sync"
)

// trait is a way in which a program uses its arguments.
type trait uint16

const (
	family    trait = 1 << iota // its first argument is a command of its own
	local                       // reads, prints or arranges files: no fact by itself
	network                     // its arguments name hosts
	fetches                     // prints or stores what it fetches
	decodes                     // prints what it decodes
	interpret                   // runs its input, a file, or an argument
	shells                      // runs shell commands
	wraps                       // runs the command in its arguments
	raises                      // runs it with more rights
	ambiguous                   // an English word: not a program by its name alone
)

// programs are those whose name makes code in a sentence a command.
var programs = []struct {
	names  string
	traits trait
	source string
}{
	{"basename cmp comm cut diff dirname expr fold head join ls nl od paste pwd tail tr tsort uniq wc cksum awk sed grep egrep fgrep cd du df", local, "https://pubs.opengroup.org/onlinepubs/9799919799/idx/utilities.html"},
	{"cat cp echo file find ln mkdir mv rm rmdir sort split tee test touch printf sleep true false kill read wait date", local | ambiguous, "https://pubs.opengroup.org/onlinepubs/9799919799/idx/utilities.html"},
	{"chmod chown chgrp mkfifo ps tar zip unzip gzip gunzip rg jq yq fd realpath readlink mktemp shred dd", local, "coreutils, findutils, https://jqlang.org, https://github.com/BurntSushi/ripgrep"},
	{"stat tree bat install less more which seq", local | ambiguous, "coreutils"},
	{"env nohup nice time timeout xargs command exec builtin stdbuf setsid watch parallel chronic", wraps | ambiguous, "https://pubs.opengroup.org/onlinepubs/9799919799/idx/utilities.html; coreutils"},
	{"sudo doas runas pkexec su", wraps | raises, "sudo(8), doas(1), pkexec(1), su(1), runas of Windows"},
	{"sh bash zsh dash ksh fish", interpret | shells, "https://pubs.opengroup.org/onlinepubs/9799919799/utilities/sh.html"},
	{"eval source .", interpret | ambiguous, "https://pubs.opengroup.org/onlinepubs/9799919799/idx/sbi.html"},
	{"python python3 node nodejs perl ruby php Rscript osascript pwsh powershell cmd iex Invoke-Expression tsx ts-node", interpret, "manuals of the languages"},
	{"deno bun", interpret | family, "https://docs.deno.com; https://bun.com/docs"},
	{"curl wget aria2c iwr irm Invoke-WebRequest Invoke-RestMethod http https", network | fetches, "curl(1), wget(1), aria2c(1), https://httpie.io/docs/cli"},
	{"nc ncat netcat socat", network | fetches, "ncat(1), socat(1)"},
	{"host ping ftp drill", network | ambiguous, "host(1), ping(8), ftp(1)"},
	{"ssh scp sftp rsync dig nslookup telnet traceroute whois lftp sshpass mosh", network, "ssh(1), scp(1), rsync(1), dig(1)"},
	{"base64 xxd openssl uudecode base32", decodes, "base64(1), xxd(1), openssl-enc(1)"},
	{"git gh hub glab svn hg jj git-lfs pre-commit lefthook", family, "git(1), https://cli.github.com/manual"},
	{"yarn volta", family | ambiguous, "https://yarnpkg.com/cli"},
	{"npm pnpm npx pnpx bunx corepack nvm fnm", family, "https://docs.npmjs.com/cli"},
	{"pip pip3 pipx uv uvx pdm conda mamba pipenv pyenv virtualenv", family, "https://pip.pypa.io; https://docs.astral.sh/uv; https://docs.conda.io"},
	{"poetry hatch rye twine", family | ambiguous, "https://python-poetry.org/docs/cli"},
	{"go", family | ambiguous, "https://pkg.go.dev/cmd/go"},
	{"bundle rake composer mix cabal stack swift flutter dart pod", family | ambiguous, "https://bundler.io; https://getcomposer.org; https://dart.dev/tools"},
	{"cargo rustup rustc gem mvn gradle gradlew dotnet nuget sbt rebar3 opam luarocks cpan cpanm", family, "https://doc.rust-lang.org/cargo; https://guides.rubygems.org; https://getcomposer.org"},
	{"xcodebuild zig nix nix-env nix-shell", family, "https://ziglang.org; https://nix.dev"},
	{"snap port scoop brew", family | ambiguous, "brew(1), port(1)"},
	{"apt apt-get yum dnf apk pacman zypper flatpak choco winget dpkg rpm", family, "brew(1), apt-get(8), dnf(8), apk(8), pacman(8), https://learn.microsoft.com/windows/package-manager"},
	{"helm kind", family | ambiguous, "https://helm.sh/docs/helm"},
	{"docker podman docker-compose kubectl minikube nerdctl buildah skopeo", family, "https://docs.docker.com/reference/cli; https://kubernetes.io/docs/reference/kubectl"},
	{"terraform tofu pulumi ansible-playbook vagrant aws gcloud gsutil az doctl flyctl heroku vercel netlify wrangler supabase firebase", family, "https://docs.aws.amazon.com/cli; https://cloud.google.com/sdk/gcloud/reference; https://learn.microsoft.com/cli/azure"},
	{"service at reg defaults", family | ambiguous, "at(1), service(8), defaults(1)"},
	{"systemctl launchctl schtasks crontab loginctl update-rc.d", family, "systemctl(1), launchctl(1), crontab(1), schtasks of Windows"},
	{"fly railway packer ansible", family | ambiguous, "https://fly.io/docs/flyctl"},
	{"claude codex gemini cursor cursor-agent copilot opencode code aider windsurf", family | ambiguous, "https://code.claude.com/docs/en/cli-reference; https://developers.openai.com/codex/cli/reference"},
	{"make cmake ninja just task bazel buck2 meson ctest tox nox invoke", family | ambiguous, "https://www.gnu.org/software/make/manual"},
	{"mocha cypress playwright black", ambiguous, "documentation of the program"},
	{"pytest jest vitest eslint prettier biome tsc ruff mypy pyright flake8 pylint isort golangci-lint shellcheck shfmt rubocop rspec phpunit clippy-driver gofmt clang-format swiftlint", 0, "documentation of the program"},
	{"psql mysql sqlite3 redis-cli mongosh mongo pg_dump mysqldump duckdb", network, "psql(1), mysql(1), sqlite3(1)"},
	{"security pass op vault keyring", family | ambiguous, "security(1) of macOS, pass(1), https://developer.1password.com/docs/cli"},
	{"gpg ssh-keygen ssh-add ssh-keyscan secret-tool certutil", family, "security(1) of macOS, gpg(1)"},
	{"ffmpeg magick pandoc pdftotext qpdf soffice exiftool latexmk tesseract yt-dlp", 0, "documentation of the program"},
	{"tmux screen nginx gunicorn uvicorn flask rails django-admin next vite webpack rollup esbuild turbo nx lerna expo storybook prisma drizzle-kit alembic", family | ambiguous, "documentation of the program"},
	{"usermod useradd visudo passwd iptables ufw mount umount sysctl setenforce csrutil spctl xattr open xdg-open pbcopy pbpaste", ambiguous, "sections 1 and 8 of the manual"},
	{"printenv export set declare unset alias trap umask ulimit", local | ambiguous, "https://www.gnu.org/software/bash/manual/html_node/Bash-Builtins.html"},
}

// installers are commands that take packages: the program with its command, the options
// that name a registry, and the packages' own.
var installers = []struct{ commands, source string }{
	{"npm install,npm i,npm add,npm exec,pnpm add,pnpm install,pnpm dlx,yarn add,yarn dlx,npx,pnpx,bunx,bun add,bun install", "https://docs.npmjs.com/cli/commands/npm-install"},
	{"pip install,pip3 install,pipx install,pipx run,uv add,uvx,poetry add,pdm add,conda install,mamba install,uv tool,uv pip", "https://pip.pypa.io/en/stable/cli/pip_install/"},
	{"cargo install,cargo add,gem install,bundle add,composer require,go install,go get,go run,dotnet add,nuget install,luarocks install,cpanm,mix archive.install,opam install", "https://doc.rust-lang.org/cargo/commands/cargo-install.html"},
	{"brew install,apt install,apt-get install,yum install,dnf install,apk add,pacman -S,zypper install,snap install,flatpak install,choco install,winget install,scoop install", "apt-get(8)"},
	{"docker run,docker pull,podman run,podman pull,helm install", "https://docs.docker.com/reference/cli/docker/container/run/"},
	{"claude plugin,claude mcp,code --install-extension,gh extension,krew install", "https://code.claude.com/docs/en/plugins"},
}

// registryOptions name another place that packages come from.
var registryOptions = map[string]bool{
	"--registry": true, "--index-url": true, "--extra-index-url": true, "--index": true, "--default-index": true, "--find-links": true,
	"--source": true, "--channel": true, "--add-source": true,
}

// secretCommands print credentials. Sources: manuals of the programs.
var secretCommands = []string{
	"security find-generic-password", "security find-internet-password", "security dump-keychain", "security export", "gh auth token", "gcloud auth print-access-token",
	"gcloud auth print-identity-token", "aws configure get", "aws configure export-credentials", "aws sts get-session-token", "aws secretsmanager get-secret-value", "az account get-access-token",
	"git credential fill", "op read", "op item", "vault kv", "vault read", "kubectl get secret", "kubectl get secrets", "pass show", "secret-tool lookup", "keyring get", "npm token", "heroku auth:token",
	"gpg --export-secret-keys", "cmdkey", "kubectl config view",
}

// writers change what others obey: the scheduler, services, hooks and settings.
var writers = []struct{ command, source string }{
	{"git config", "git-config(1)"},
	{"crontab", "crontab(1)"},
	{"at", "at(1)"},
	{"systemctl enable", "systemctl(1)"},
	{"launchctl load", "launchctl(1)"},
	{"launchctl bootstrap", "launchctl(1)"},
	{"launchctl enable", "launchctl(1)"},
	{"schtasks /create", "https://learn.microsoft.com/windows-server/administration/windows-commands/schtasks-create"},
	{"reg add", "https://learn.microsoft.com/windows-server/administration/windows-commands/reg-add"},
	{"defaults write", "defaults(1)"},
	{"update-rc.d", "update-rc.d(8)"},
	{"npm config set", "https://docs.npmjs.com/cli/commands/npm-config"},
	{"pip config set", "https://pip.pypa.io/en/stable/cli/pip_config/"},
	{"claude mcp add", "https://code.claude.com/docs/en/mcp"},
	{"claude config set", "https://code.claude.com/docs/en/settings"},
	{"codex mcp add", "https://developers.openai.com/codex/mcp"},
	{"gemini mcp add", "https://geminicli.com/docs/tools/mcp-server"},
	{"code --add-mcp", "https://code.visualstudio.com/docs/copilot/customization/mcp-servers"},
	{"visudo", "visudo(8)"},
	{"usermod", "usermod(8)"},
}

// table holds the rows above by name.
type table struct {
	programs  map[string]trait
	installer map[string]bool
}

var tables = sync.OnceValue(func() table {
	t := table{map[string]trait{}, map[string]bool{}}
	for _, row := range programs {
		for name := range strings.FieldsSeq(row.names) {
			t.programs[name] = row.traits
		}
	}
	for _, row := range installers {
		for command := range strings.SplitSeq(row.commands, ",") {
			t.installer[command] = true
		}
	}
	return t
})

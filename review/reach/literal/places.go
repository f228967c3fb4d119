package literal

import (
	"path"
	"strings"
)

// Place is the purpose of a file for other programs.
type Place uint8

// The places.
const (
	Nowhere     Place = iota
	Credentials       // a store of keys or passwords
	Obeyed            // a file that an agent, a shell or a scheduler follows
)

// places lists paths by their last elements; "*" stands for a part of an element. An
// element ahead of the first is anything, unless the path begins with "/".
var places = []struct {
	place  Place
	paths  string
	source string
}{
	{Credentials, ".ssh/* .ssh id_rsa id_dsa id_ecdsa id_ed25519", "ssh(1), FILES"},
	{Credentials, ".aws/* .aws", "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html"},
	{Credentials, ".config/gcloud .config/gcloud/* application_default_credentials.json", "https://cloud.google.com/docs/authentication/application-default-credentials"},
	{Credentials, ".azure .azure/*", "https://learn.microsoft.com/cli/azure/azure-cli-configuration"},
	{Credentials, ".kube/config .kube", "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/"},
	{Credentials, ".docker/config.json", "https://docs.docker.com/reference/cli/docker/login/"},
	{Credentials, ".npmrc", "https://docs.npmjs.com/cli/configuring-npm/npmrc"},
	{Credentials, ".pypirc", "https://packaging.python.org/specifications/pypirc/"},
	{Credentials, ".cargo/credentials.toml", "https://doc.rust-lang.org/cargo/reference/config.html#credentials"},
	{Credentials, ".netrc _netrc", "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html"},
	{Credentials, ".pgpass", "https://www.postgresql.org/docs/current/libpq-pgpass.html"},
	{Credentials, ".my.cnf", "https://dev.mysql.com/doc/refman/8.4/en/option-files.html"},
	{Credentials, ".git-credentials", "git-credential-store(1)"},
	{Credentials, ".config/gh .config/gh/hosts.yml", "https://cli.github.com/manual/gh_auth_login"},
	{Credentials, ".gnupg .gnupg/*", "gpg(1), FILES"},
	{Credentials, ".password-store .password-store/*", "pass(1)"},
	{Credentials, ".vault-token", "https://developer.hashicorp.com/vault/docs/commands/login"},
	{Credentials, "Library/Keychains Library/Keychains/* login.keychain login.keychain-db", "security(1) of macOS"},
	{Credentials, ".local/share/keyrings wallet.dat logins.json", "https://wiki.gnome.org/Projects/GnomeKeyring; https://support.mozilla.org/kb/profiles-where-firefox-stores-user-data"},
	{Credentials, "/etc/shadow /etc/gshadow", "shadow(5)"},
	{Credentials, "/proc/*/environ", "proc_pid_environ(5)"},
	{Credentials, "/run/secrets /run/secrets/* /var/run/secrets", "https://docs.docker.com/compose/how-tos/use-secrets/"},
	{Credentials, ".claude/.credentials.json .codex/auth.json", "https://code.claude.com/docs/en/iam; https://developers.openai.com/codex/auth"},
	{Credentials, "secrets.json secrets.yml secrets.yaml credentials.json client_secret.json service-account.json", "https://learn.microsoft.com/aspnet/core/security/app-secrets; https://developers.google.com/workspace/guides/create-credentials"},

	{Obeyed, "CLAUDE.md CLAUDE.local.md .claude/settings*.json .claude/hooks .claude/hooks/* .claude/commands/* .claude/agents/* .claude/rules/* .claude.json settings.local.json", "https://code.claude.com/docs/en/settings"},
	{Obeyed, "AGENTS.md AGENTS.override.md .codex/config.toml", "https://agents.md; https://developers.openai.com/codex/config-reference"},
	{Obeyed, "GEMINI.md .gemini/settings.json", "https://geminicli.com/docs/reference/configuration"},
	{Obeyed, "copilot-instructions.md *.instructions.md *.prompt.md", "https://code.visualstudio.com/docs/copilot/customization/custom-instructions"},
	{Obeyed, ".cursorrules .cursor/rules .cursor/rules/* .cursor/hooks.json .cursor/mcp.json", "https://cursor.com/docs/context/rules"},
	{Obeyed, ".windsurfrules .windsurf/rules/* .clinerules .clinerules/* .roorules SOUL.md", "https://docs.windsurf.com; https://docs.cline.bot; https://docs.roocode.com; https://docs.openclaw.ai"},
	{Obeyed, ".mcp.json mcp.json claude_desktop_config.json", "https://modelcontextprotocol.io/docs/develop/connect-local-servers"},
	{Obeyed, ".vscode/settings.json .vscode/tasks.json", "https://code.visualstudio.com/docs/reference/default-settings"},
	{Obeyed, ".git/hooks .git/hooks/* .git/config .gitconfig .githooks/*", "githooks(5), git-config(1)"},
	{Obeyed, ".husky .husky/*", "https://typicode.github.io/husky/"},
	{Obeyed, ".pre-commit-config.yaml", "https://pre-commit.com"},
	{Obeyed, ".github/workflows .github/workflows/*", "https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax"},
	{Obeyed, ".bashrc .bash_profile .bash_login .profile .bash_aliases", "bash(1), INVOCATION"},
	{Obeyed, ".zshrc .zprofile .zshenv .zlogin", "zsh(1), STARTUP/SHUTDOWN FILES"},
	{Obeyed, ".config/fish/* $PROFILE Microsoft.PowerShell_profile.ps1", "https://fishshell.com/docs/current/#configuration; about_Profiles of PowerShell"},
	{Obeyed, ".ssh/authorized_keys .ssh/config", "sshd(8), ssh_config(5)"},
	{Obeyed, "/etc/cron* /etc/cron*/* /etc/crontab /var/spool/cron", "crontab(5)"},
	{Obeyed, "/etc/systemd/* systemd/user systemd/user/* systemd/system/*", "systemd.unit(5)"},
	{Obeyed, "LaunchAgents LaunchAgents/* LaunchDaemons LaunchDaemons/*", "launchd.plist(5)"},
	{Obeyed, ".config/autostart .config/autostart/*", "https://specifications.freedesktop.org/autostart-spec/latest/"},
	{Obeyed, "/etc/profile /etc/profile.d /etc/profile.d/* /etc/environment /etc/rc.local /etc/ld.so.preload", "bash(1); environment(5); ld.so(8)"},
	{Obeyed, "/etc/sudoers /etc/sudoers.d /etc/sudoers.d/*", "sudoers(5)"},
	{Obeyed, "/etc/hosts /etc/passwd /etc/pam.d/*", "hosts(5), passwd(5), pam.d(5)"},
	{Obeyed, "sitecustomize.py usercustomize.py", "https://docs.python.org/3/library/site.html"},
	{Obeyed, "CurrentVersion/Run CurrentVersion/RunOnce", "https://learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys"},
}

// entry is one path of places by its elements.
type entry struct {
	place    Place
	rooted   bool
	elements []string
}

// placesOf returns the paths of places by their first element; wild holds those whose
// first element has a "*".
func placesOf() (first map[string][]entry, wild []entry) {
	first = map[string][]entry{}
	for _, row := range places {
		for p := range strings.FieldsSeq(row.paths) {
			name, rooted := strings.CutPrefix(p, "/")
			e := entry{row.place, rooted, strings.Split(name, "/")}
			if strings.Contains(e.elements[0], "*") {
				wild = append(wild, e)
			} else {
				first[e.elements[0]] = append(first[e.elements[0]], e)
			}
		}
	}
	return first, wild
}

// samples are endings of files that stand for a store without containing one.
var samples = []string{"example", "sample", "template", "dist", "tpl", "test", "md", "ts", "js", "schema"}

// keyFiles are the extensions of files with private keys: RFC 7468, RFC 7292, and
// https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html.
var keyFiles = map[string]bool{".pem": true, ".p12": true, ".pfx": true, ".jks": true, ".keystore": true, ".kdbx": true}

// PlaceOf returns what the file at a path is for others: the strongest place of its
// elements.
func PlaceOf(name string) Place {
	t := tables()
	elements := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	found := Nowhere
	for i, element := range elements {
		if strings.HasPrefix(element, ".env") && dotenv(element) {
			found = max(found, Credentials)
		}
		if i == len(elements)-1 && keyFiles[path.Ext(element)] && element[0] != '*' && element[0] != '.' && !public(element) {
			found = max(found, Credentials)
		}
		for _, e := range t.first[element] {
			if e.matches(elements[i:], i == 1 && elements[0] == "") {
				found = max(found, e.place)
			}
		}
		if strings.HasSuffix(element, ".md") {
			for _, e := range t.wild {
				if e.matches(elements[i:], false) && element[0] != '*' {
					found = max(found, e.place)
				}
			}
		}
	}
	return found
}

// public reports whether the name of a file of keys says that it holds public ones.
func public(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cert") || strings.Contains(name, "trust") || strings.Contains(name, "pub") || strings.HasPrefix(name, "ca.") || strings.HasPrefix(name, "ca-") || strings.Contains(name, "chain")
}

// matches reports whether elements begin with those of e; root marks the first of a path
// that begins with "/".
func (e entry) matches(elements []string, root bool) bool {
	if e.rooted && !root || len(elements) < len(e.elements) {
		return false
	}
	for i, pattern := range e.elements {
		if ok, err := path.Match(pattern, elements[i]); err != nil || !ok || elements[i] == "" {
			return false
		}
	}
	return true
}

// dotenv reports whether name is a file of variables (https://github.com/motdotla/dotenv)
// and no sample of one.
func dotenv(name string) bool {
	rest := name[len(".env"):]
	if rest == "" || rest == "rc" {
		return true
	}
	if rest[0] != '.' || len(rest) == 1 {
		return false
	}
	for _, s := range samples {
		if strings.HasSuffix(rest, s) {
			return false
		}
	}
	return true
}

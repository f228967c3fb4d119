package literal

import "strings"

// flags lists the options that skip a check or widen permissions, whatever program takes
// them. A "*" at the end stands for any rest.
var flags = []struct{ names, source string }{
	{"--dangerously* --permission-mode --allowedTools --allowed-tools --add-dir", "https://code.claude.com/docs/en/cli-reference"},
	{"--yolo --full-auto --ask-for-approval --dangerously-bypass-approvals-and-sandbox", "https://developers.openai.com/codex/cli/reference"},
	{"--approval-mode --allowed-mcp-server-names", "https://geminicli.com/docs/cli/cli-reference"},
	{"--allow-all --allow-all-tools --allow-all-paths --allow-all-urls", "https://docs.github.com/copilot/concepts/agents/about-copilot-cli; https://docs.deno.com/runtime/fundamentals/security/"},
	{"--no-verify --no-gpg-sign --no-verify-ssl --no-signoff", "git-commit(1), git-push(1)"},
	{"--insecure --proxy-insecure --no-check-certificate --no-check-certificates --no-hsts", "curl(1), wget(1)"},
	{"--trusted-host --break-system-packages --no-verify-hashes --allow-insecure-host", "https://pip.pypa.io/en/stable/cli/pip/; https://docs.astral.sh/uv/reference/cli/"},
	{"--no-audit --no-strict-ssl --unsafe-perm --ignore-integrity", "https://docs.npmjs.com/cli/using-npm/config"},
	{"--privileged --cap-add --security-opt --disable-content-trust --pid=host --network=host --net=host", "https://docs.docker.com/reference/cli/docker/container/run/"},
	{"--allow-root --no-sandbox --disable-web-security --disable-setuid-sandbox --ignore-certificate-errors", "https://peter.sh/experiments/chromium-command-line-switches/"},
	{"--insecure-skip-tls-verify --validate=false --insecure-policy", "https://kubernetes.io/docs/reference/kubectl/generated/kubectl/"},
	{"--auto-approve -auto-approve", "https://developer.hashicorp.com/terraform/cli/commands/apply"},
	{"--allow-unauthenticated --allow-untrusted --no-gpg-check --nogpgcheck --force-yes --allow-insecure-repositories", "apt-get(8), apk(8), zypper(8), dnf(8)"},
	{"--skip-tests --skip-checks --skip-verification --skip-verify* --skip-validation --skip-hooks --skip-sign* --skip-review --skip-auth --skip-ssl* --skip-tls* --skip-permissions* --no-checks --no-auth --no-tls* --no-ssl* --no-sign* --disable-sandbox --disable-auth* --disable-ssl* --disable-tls* --bypass* --unsafe --unrestricted", "GNU Coding Standards, 4.8: an option is named for its effect"},
	{"-ExecutionPolicy -ep -SkipCertificateCheck -SkipPublisherCheck -AllowClobber", "about_Execution_Policies and Install-Module of PowerShell"},
	{"--nopasswd --stdin-pass", "https://pve.proxmox.com; sudo(8)"},
}

// settings lists names that skip a check or widen permissions once they have one of the
// values; no values stand for any.
var settings = []struct{ names, values, source string }{
	{"bypassPermissions acceptEdits dontAsk enableAllProjectMcpServers skipDangerousModePermissionPrompt dangerouslyDisableSandbox allowUnsandboxedCommands", "", "https://code.claude.com/docs/en/settings"},
	{"autoApprove alwaysAllow chat.tools.autoApprove chat.tools.global.autoApprove", "", "https://code.visualstudio.com/docs/copilot/security"},
	{"approval_policy", "never on-failure", "https://developers.openai.com/codex/config-reference"},
	{"sandbox_mode", "danger-full-access", "https://developers.openai.com/codex/config-reference"},
	{"verify verify_ssl ssl_verify verify_certs ssl check_hostname tls_verify", "False false 0 none", "https://requests.readthedocs.io/en/latest/user/advanced/#ssl-cert-verification"},
	{"CERT_NONE _create_unverified_context", "", "https://docs.python.org/3/library/ssl.html"},
	{"rejectUnauthorized strictSSL strict-ssl strict_ssl", "false", "https://nodejs.org/api/tls.html; https://docs.npmjs.com/cli/using-npm/config#strict-ssl"},
	{"NODE_TLS_REJECT_UNAUTHORIZED", "0", "https://nodejs.org/api/cli.html"},
	{"PYTHONHTTPSVERIFY", "0", "https://peps.python.org/pep-0493/"},
	{"InsecureSkipVerify", "true", "https://pkg.go.dev/crypto/tls#Config"},
	{"VERIFY_NONE SSL_VERIFY_NONE", "", "https://docs.openssl.org/master/man3/SSL_CTX_set_verify/"},
	{"GIT_SSL_NO_VERIFY", "", "git(1), ENVIRONMENT"},
	{"http.sslVerify sslVerify", "false", "git-config(1)"},
	{"commit.gpgsign tag.gpgsign", "false", "git-config(1)"},
	{"StrictHostKeyChecking", "no off accept-new", "ssh_config(5)"},
	{"HUSKY HUSKY_SKIP_HOOKS", "0 1", "https://typicode.github.io/husky/how-to.html"},
	{"SKIP_HOOKS SKIP_TESTS SKIP_CHECKS", "1 true", "https://pre-commit.com/#temporarily-disabling-hooks"},
	{"GOSUMDB GONOSUMDB GONOSUMCHECK GOINSECURE GOFLAGS", "off * -insecure 1", "https://go.dev/ref/mod#environment-variables"},
	{"NOPASSWD", "", "sudoers(5)"},
	{"ExecutionPolicy", "Bypass Unrestricted", "about_Execution_Policies of PowerShell"},
	{"permissions", "write-all", "https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#permissions"},
	{"pull_request_target", "", "https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows"},
	{"continue-on-error", "true", "https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax"},
	{"privileged", "true", "https://docs.docker.com/reference/compose-file/services/"},
	{"Access-Control-Allow-Origin", "*", "https://fetch.spec.whatwg.org/#http-access-control-allow-origin"},
	{"public-read public-read-write", "", "https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html"},
	{"setenforce", "0", "setenforce(8)"},
}

// modes lists file modes that let everybody write or a program run as its owner, and
// networks that stand for the whole Internet: chmod(1); RFC 4632, section 3.1.
var modes = map[string]bool{
	"777": true, "0777": true, "0o777": true, "a+rwx": true, "ugo+rwx": true, "u+s": true, "+s": true, "4755": true, "o+w": true, "a+w": true,
	"0.0.0.0/0": true, "::/0": true,
}

// settingRow holds the values of one name; nil stands for any.
type settingRow []string

func settingsByName() map[string]settingRow {
	m := map[string]settingRow{}
	for _, row := range settings {
		for name := range strings.FieldsSeq(row.names) {
			m[name] = strings.Fields(row.values)
		}
	}
	return m
}

// flagSets returns the flags that are complete, and the beginnings of the others.
func flagSets() (whole map[string]bool, begin []string) {
	whole = map[string]bool{}
	for _, row := range flags {
		for name := range strings.FieldsSeq(row.names) {
			if start, ok := strings.CutSuffix(name, "*"); ok {
				begin = append(begin, start)
			} else {
				whole[name] = true
			}
		}
	}
	return whole, begin
}

// Flag reports whether word is an option that skips a check or widens permissions.
func Flag(word string) bool {
	t := tables()
	name, _, _ := strings.Cut(word, "=")
	if t.flags[name] || t.flags[word] {
		return true
	}
	for _, begin := range t.flagStarts {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// Setting reports whether name, set to value, skips a check or widens permissions.
func Setting(name, value string) bool {
	row, ok := tables().settings[name]
	if !ok {
		return false
	}
	if len(row) == 0 {
		return true
	}
	for _, v := range row {
		if v == value {
			return true
		}
	}
	return false
}

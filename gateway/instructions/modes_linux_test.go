package instructions

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"toolcrib/registry/places"
)

// asNobody runs do without root's permission to open everything: on a thread with
// another file system uid, which ends with it.
func asNobody(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		}
		do()
	}()
	<-done
}

// TestUnopenedFolders checks that folders that cannot be opened are reported (S42).
func TestUnopenedFolders(t *testing.T) {
	for _, mode := range []os.FileMode{0o711, 0} {
		for name, tc := range map[string]struct {
			scope places.Scope
			shut  string
			want  string // the refused path; "" means an error
		}{
			"in a project":                 {places.Project, "docs", "docs"},
			"with modules":                 {places.Project, "node_modules/x", "node_modules/x"},
			"of a client":                  {places.Project, ".claude", ".claude"},
			"of a client at home":          {places.User, ".claude", ".claude"},
			"the home":                     {places.User, ".", ""},
			"the project":                  {places.Project, ".", ""},
			"above a project, with a file": {places.Above, ".", "AGENTS.md"},
		} {
			dir := lay(t, map[string]string{"docs/AGENTS.md": "x\n", "node_modules/x/AGENTS.md": "x\n", ".claude/CLAUDE.md": "x\n", "AGENTS.md": "x\n"})
			for at := dir; strings.Contains(at, "TestUnopenedFolders"); at = filepath.Dir(at) {
				must(t, os.Chmod(at, 0o755))
			}
			shut := filepath.Join(dir, tc.shut)
			must(t, os.Chmod(shut, mode))
			t.Cleanup(func() { must(t, os.Chmod(shut, 0o755)) })
			var tree Tree
			var err error
			asNobody(func() { tree, err = Search(dir, tc.scope) })
			refused := ""
			for _, f := range tree.Found {
				if f.Err != nil {
					refused += f.Path + " "
				}
			}
			switch {
			case tc.scope == places.Above && mode == 0: // clients cannot access it either
				if err != nil || refused != "" {
					t.Errorf("%s, mode %o: refused %q, %v", name, mode, refused, err)
				}
			case tc.want == "" && tc.shut == "." && tc.scope != places.Above:
				if err == nil {
					t.Errorf("%s, mode %o: no error", name, mode)
				}
			case err != nil || !strings.Contains(" "+refused, " "+tc.want+" "):
				t.Errorf("%s, mode %o: refused %q, %v; want %s", name, mode, refused, err, tc.want)
			}
		}
	}
}

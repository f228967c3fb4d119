package cli

import (
	"fmt"
	"os"
	"path/filepath"
)

// planted returns an error for a project's file that somebody else has put
// above the folder we work in, where everybody may write, such as into /tmp:
// it would choose the database of all who work below. Whoever owns the folder
// we work in may say how, as may the administrator.
func planted(dir, file string) error {
	above, err := os.Stat(filepath.Dir(file))
	if err != nil || above.Mode().Perm()&0o002 == 0 {
		return nil
	}
	whose, known := owner(file)
	here, alsoKnown := owner(dir)
	if !known || !alsoKnown || whose == here || whose == os.Geteuid() || whose == 0 {
		return nil
	}
	return fmt.Errorf("configuration %s: it belongs to another account (%d) than you and the folder you work in, and stands where everybody may write; take it away, or work elsewhere", file, whose)
}

package cli

import (
	"errors"
	"fmt"
	"path/filepath"
)

// errNoHome is wrapped when a default path is needed and there is no home
// folder that it could lie in.
var errNoHome = errors.New("there is no home folder")

// home returns the user's home folder, which is absolute: what HOME says, or
// else the account database. A relative HOME would make files of the working
// directory the user's own, so it counts as none.
func (e Env) home() (string, error) {
	if dir := e.Getenv("HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	a := e.account()
	if filepath.IsAbs(a.Home) {
		return a.Home, nil
	}
	why := "HOME is not set"
	if dir := e.Getenv("HOME"); dir != "" {
		why = fmt.Sprintf("HOME is %q, which is not absolute", dir)
	}
	return "", fmt.Errorf("%w: %s, and the account database has none for uid %s; set HOME to an absolute path", errNoHome, why, a.UID)
}

// The default folders follow the XDG Base Directory Specification, 0.8, and on Windows,
// where its variables are not set, the known folders: settings roam with the account,
// the database does not.
func configHome(env Env) (string, error) { return xdg(env, "XDG_CONFIG_HOME", ".config", "APPDATA") }

func dataHome(env Env) (string, error) {
	return xdg(env, "XDG_DATA_HOME", filepath.Join(".local", "share"), "LOCALAPPDATA")
}

func stateHome(env Env) (string, error) {
	return xdg(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

// xdg returns an absolute folder. A relative value of a variable is ignored, as the
// specification demands.
func xdg(env Env, variable, fallback, windows string) (string, error) {
	if dir := env.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := env.Getenv(windows); env.Windows && filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := env.home()
	if err != nil {
		return "", fmt.Errorf("%w, or set %s", err, variable)
	}
	return filepath.Join(home, fallback), nil
}

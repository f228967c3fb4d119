package cli

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

// serveConfig is who may do what at toolcrib serve. Only the user's own file can say
// so: it lets accounts in.
type serveConfig struct {
	// Peers has the ids of tokens by uid. An account that connects to the unix socket
	// has its token without showing it.
	Peers map[string]string `toml:"peers"`
}

func (c serveConfig) check() error {
	for uid, token := range c.Peers {
		if n, err := strconv.ParseUint(uid, 10, 32); err != nil || strconv.FormatUint(n, 10) != uid {
			return fmt.Errorf("configuration: serve.peers has %q; write the number of an account, as `id -u` prints it", uid)
		}
		if err := uuid.Validate(token); err != nil || len(token) != len(uuid.UUID{}.String()) {
			return fmt.Errorf("configuration: serve.peers.%s is %q; write the id of a token, as `toolcrib tokens list` prints it", uid, token)
		}
	}
	return nil
}

func (c serveConfig) list(values map[string]string) {
	for uid, token := range c.Peers {
		values["serve.peers."+uid] = token
	}
}

// peers returns the ids of tokens by uid.
func (c serveConfig) peers() map[int]string {
	ids := make(map[int]string, len(c.Peers))
	for uid, token := range c.Peers {
		if n, err := strconv.Atoi(uid); err == nil { // check has refused others
			ids[n] = token
		}
	}
	return ids
}

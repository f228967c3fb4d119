//go:build darwin || freebsd

package unixsocket

import (
	"net"

	"golang.org/x/sys/unix"
)

const peersAreKnown = true

// peer returns the user id of the process at the other end of a connection
// (LOCAL_PEERCRED in unix(4)).
func peer(conn net.Conn) (uid int, err error) {
	err = control(conn, func(fd int) error {
		who, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err == nil {
			uid = int(who.Uid)
		}
		return err
	})
	return uid, err
}

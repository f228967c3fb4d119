package unixsocket

import (
	"net"
	"syscall"
)

const peersAreKnown = true

// peer returns the user id of the process at the other end of a connection (SO_PEERCRED
// in unix(7)).
func peer(conn net.Conn) (uid int, err error) {
	err = control(conn, func(fd int) error {
		who, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		if err == nil {
			uid = int(who.Uid)
		}
		return err
	})
	return uid, err
}

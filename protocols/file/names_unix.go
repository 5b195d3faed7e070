//go:build unix

package file

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

// names is a cache of the names of users and groups, by number.
type names struct{ users, groups map[uint32]string }

func (n *names) ownerOf(info fs.FileInfo) (owner, group string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", ""
	}
	if n.users == nil {
		n.users, n.groups = make(map[uint32]string), make(map[uint32]string)
	}
	if owner, ok = n.users[st.Uid]; !ok {
		owner = strconv.FormatUint(uint64(st.Uid), 10)
		if u, err := user.LookupId(owner); err == nil {
			owner = u.Username
		}
		n.users[st.Uid] = owner
	}
	if group, ok = n.groups[st.Gid]; !ok {
		group = strconv.FormatUint(uint64(st.Gid), 10)
		if g, err := user.LookupGroupId(group); err == nil {
			group = g.Name
		}
		n.groups[st.Gid] = group
	}
	return owner, group
}

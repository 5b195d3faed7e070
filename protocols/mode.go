package protocols

import (
	"errors"
	"strconv"
	"strings"
)

// ErrMode is the cause when a mode is none of chmod.
var ErrMode = errors.New("a mode is octal digits, or letters as in u+x,go-w")

// errOldMode reports that a symbolic mode has nothing to change.
var errOldMode = errors.New("the mode before is unknown: an octal mode is needed")

// ParseMode returns the permissions, with the set-ID and sticky bits, that mode stands for:
// octal digits, or a symbolic mode such as "u+x,go-w" (POSIX, chmod), which changes old, the
// permissions as ls writes them. dir reports whether they are those of a directory. A change
// of w without u, g, o or a is one of the owner's, as with the umask 022.
func ParseMode(mode, old string, dir bool) (uint32, error) {
	if n, err := strconv.ParseUint(mode, 8, 12); err == nil {
		return uint32(n), nil
	}
	bits, known := permissions(old)
	for clause := range strings.SplitSeq(mode, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 || strings.Trim(clause[:at], "ugoa") != "" {
			return 0, ErrMode
		}
		who := clause[:at]
		for rest := clause[at:]; rest != ""; {
			op, set := rest[0], rest[1:]
			if rest = ""; strings.ContainsAny(set, "+-=") {
				next := strings.IndexAny(set, "+-=")
				set, rest = set[:next], set[next:]
			}
			change, reset, ok := symbolic(who, set, bits, dir)
			switch {
			case !ok:
				return 0, ErrMode
			case op == '+':
				bits |= change
			case op == '-':
				bits &^= change
			default:
				bits = bits&^reset | change
			}
		}
	}
	if !known {
		return 0, errOldMode
	}
	return bits, nil
}

// symbolic returns the permissions of one action of a symbolic mode, and all that "=" replaces.
func symbolic(who, set string, old uint32, dir bool) (change, all uint32, ok bool) {
	var triple, special uint32 // rwx of one class; s and t
	for _, c := range set {
		switch c {
		case 'r':
			triple |= 4
		case 'w':
			triple |= 2
		case 'x':
			triple |= 1
		case 'X':
			if dir || old&0o111 != 0 {
				triple |= 1
			}
		case 's':
			special |= 0o6000
		case 't':
			special |= 0o1000
		default:
			return 0, 0, false
		}
	}
	for _, class := range []struct {
		name           string
		shift          int
		special, umask uint32
	}{{"u", 6, 0o4000, 0}, {"g", 3, 0o2000, 2}, {"o", 0, 0o1000, 2}} {
		switch {
		case who == "":
			change |= triple &^ class.umask << class.shift
		case strings.ContainsAny(who, class.name+"a"):
			change |= triple << class.shift
		default:
			continue
		}
		change |= special & class.special
		all |= 7<<class.shift | class.special
	}
	return change, all, true
}

// permissions reads what ls writes, "rwxr-sr-t". It returns false if s is no such text.
func permissions(s string) (bits uint32, ok bool) {
	if len(s) < 9 {
		return 0, false
	}
	for i, c := range []byte(s[:9]) {
		special := uint32(0o4000) >> (i / 3)
		switch {
		case c == "rwx"[i%3]:
			bits |= 1 << (8 - i)
		case i%3 == 2 && (c == 's' || c == 't'):
			bits |= special | 1<<(8-i)
		case i%3 == 2 && (c == 'S' || c == 'T'):
			bits |= special
		case c != '-':
			return 0, false
		}
	}
	return bits, true
}

package protocols

import (
	"errors"
	"strconv"
	"strings"
)

// ErrMode is the error of a malformed mode.
var ErrMode = errors.New("a mode is octal digits, or letters as in u+x,go-w")

// errOldMode is the error of a symbolic mode for an item whose permissions are unknown.
var errOldMode = errors.New("the current mode is unknown: use an octal mode")

// ParseMode returns the permissions that chmod (POSIX) would set, including the set-ID and sticky bits. The
// parameter mode is octal digits, or letters such as "u+x,go-w". Letters change the permissions in the
// parameter old, which has the format of ls. The parameter dir is true for a directory. A clause without u,
// g, o or a does not give w to the group and others, as if the umask were 022.
func ParseMode(mode, old string, dir bool) (uint32, error) {
	if n, err := strconv.ParseUint(mode, 8, 12); err == nil {
		return uint32(n), nil
	}
	bits, known := ParsePermissions(old)
	for clause := range strings.SplitSeq(mode, ",") {
		actions := strings.TrimLeft(clause, "ugoa")
		classes := clause[:len(clause)-len(actions)]
		if actions == "" {
			return 0, ErrMode
		}
		for rest := actions; rest != ""; {
			op := rest[0]
			perms := strings.TrimLeft(rest[1:], "rwxXst")
			change, all := parseSymbolicBits(classes, rest[1:len(rest)-len(perms)], dir || bits&0o111 != 0)
			switch rest = perms; op {
			case '+':
				bits |= change
			case '-':
				bits &^= change
			case '=':
				bits = bits&^all | change
			default:
				return 0, ErrMode
			}
		}
	}
	if !known {
		return 0, errOldMode
	}
	return bits, nil
}

// parseSymbolicBits returns the bits that the letters in perms mean for classes, which are letters such as
// "go". It also returns all bits of these classes. The letter X means x if executable is true.
func parseSymbolicBits(classes, perms string, executable bool) (bits, all uint32) {
	letters := map[rune]uint32{'r': 0o444, 'w': 0o222, 'x': 0o111, 's': 0o6000, 't': 0o1000}
	if executable {
		letters['X'] = letters['x']
	}
	for _, c := range perms {
		bits |= letters[c]
	}
	if classes == "" {
		return bits &^ 0o022, 0o7777
	}
	for class, mask := range map[rune]uint32{'u': 0o4700, 'g': 0o2070, 'o': 0o1007, 'a': 0o7777} {
		if strings.ContainsRune(classes, class) {
			all |= mask
		}
	}
	return bits & all, all
}

// ParsePermissions parses permissions as ls writes them, "rwxr-sr-t". It returns false if s is
// malformed.
func ParsePermissions(s string) (bits uint32, ok bool) {
	if len(s) < 9 {
		return 0, false
	}
	for i, c := range []byte(s[:9]) {
		special := i%3 == 2 && strings.IndexByte("sStT", c) >= 0
		if special {
			bits |= 0o4000 >> (i / 3)
		}
		switch {
		case c == "rwx"[i%3], special && c >= 'a':
			bits |= 1 << (8 - i)
		case c != '-' && !special:
			return 0, false
		}
	}
	return bits, true
}

// FormatPermissions formats the permissions of a mode as ls does, "rwxr-sr-t".
func FormatPermissions(mode uint32) string {
	text := []byte("rwxrwxrwx")
	for i := range text {
		if mode&(1<<(8-i)) == 0 {
			text[i] = '-'
		}
	}
	for i, special := range []string{"sS", "sS", "tT"} {
		if at := 3*i + 2; mode&(1<<(11-i)) != 0 {
			text[at] = special[map[byte]int{'x': 0, '-': 1}[text[at]]]
		}
	}
	return string(text)
}

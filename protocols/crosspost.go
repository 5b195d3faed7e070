package protocols

import (
	"strconv"
	"strings"
)

// Crosspost is the number of an article in a group (RFC 5536, section 3.2.14:
// Xref).
type Crosspost struct {
	Group  string
	Number uint64
}

// MaxCrossposts is how many groups of an article are looked at.
const MaxCrossposts = 1000

// Crossposts reads an Xref header (RFC 5536, section 3.2.14): the server, then
// group:number for each group.
func Crossposts(xref string) (list []Crosspost) {
	fields := strings.Fields(xref)
	for _, s := range fields[min(1, len(fields)):min(MaxCrossposts, len(fields))] {
		i := strings.LastIndexByte(s, ':')
		if i <= 0 {
			continue
		}
		if n, err := strconv.ParseUint(s[i+1:], 10, 63); err == nil {
			list = append(list, Crosspost{Group: s[:i], Number: n})
		}
	}
	return list
}

package document

import (
	"strconv"
	"strings"

	"gofer/protocols"
)

// maxCrossposts is how many groups of an article are looked at.
const maxCrossposts = 1000

// crossposts reads an Xref header (RFC 5536, section 3.2.14): the server, then
// group:number for each group.
func crossposts(xref string) (list []protocols.Crosspost) {
	fields := strings.Fields(xref)
	for _, s := range fields[min(1, len(fields)):min(maxCrossposts, len(fields))] {
		i := strings.LastIndexByte(s, ':')
		if i <= 0 {
			continue
		}
		if n, err := strconv.ParseUint(s[i+1:], 10, 63); err == nil {
			list = append(list, protocols.Crosspost{Group: s[:i], Number: n})
		}
	}
	return list
}

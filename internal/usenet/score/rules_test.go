package score

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestMerge checks that rules are removed and added, and that all other lines stay.
func TestMerge(t *testing.T) {
	const file = "% Mine.\n" +
		"Score: 7\n" + // before any section
		"include more\n" +
		"%BOS\n[ a.* ] % of a\nScore: -1\n\tFrom: x\n\n  % why\nSubject: y  \n%EOS\n" +
		"Score:: =2\r\n~{:\r\n  Lines: 3\r\n}\r\n" +
		"include other\n  Xref: z\n" +
		"[b]\nscore: 4"
	const one, two, three = "[ a.* ]\n  Score: -1\n  From: x\n  % why\n  Subject: y\n", "[ a.* ]\n  Score:: =2\n  ~{:\n  Lines: 3\n  }\n", "[b]\n  score: 4\n"
	fetchtest.Equal(t, strings.Join(Split([]byte(file)), ""), one+two+three)
	for _, rule := range []string{one, two, three} {
		fetchtest.Equal(t, strings.Join(Split([]byte(rule)), "|"), rule)
	}
	all := func(string) bool { return true }
	fetchtest.Equal(t, string(Merge([]byte(file), all, nil)), file)
	fetchtest.Equal(t, string(Merge([]byte(file), all, []string{one, three})), file+"\n\n"+one+"\n"+three)
	fetchtest.Equal(t, string(Merge([]byte(file), func(rule string) bool { return rule == two }, nil)),
		"% Mine.\nScore: 7\ninclude more\n%BOS\n[ a.* ] % of a\n%EOS\n"+"Score:: =2\r\n~{:\r\n  Lines: 3\r\n}\r\n"+"include other\n  Xref: z\n")
	fetchtest.Equal(t, string(Merge([]byte(file), func(string) bool { return false }, nil)),
		"% Mine.\nScore: 7\ninclude more\n%BOS\n%EOS\ninclude other\n  Xref: z\n")
	fetchtest.Equal(t, string(Merge(nil, all, []string{one})), one)
}

package nntp

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// parseThread returns articles for specs of the form "id<ref,ref subject".
func parseThread(specs ...string) []*protocols.ArticleNote {
	var list []*protocols.ArticleNote
	for i, s := range specs {
		name, subject, _ := strings.Cut(s, " ")
		id, refs, _ := strings.Cut(name, "<")
		a := &protocols.ArticleNote{Number: uint64(i + 1), MessageID: id, Subject: subject}
		if refs != "" {
			a.References = strings.Split(refs, ",")
		}
		list = append(list, a)
	}
	return list
}

func TestSortByThread(t *testing.T) {
	var deep []string
	for i := range 200 {
		s := fmt.Sprintf("d%d", i)
		if i > 0 {
			s += fmt.Sprintf("<d%d", i-1)
		}
		deep = append(deep, s)
	}
	tests := []struct {
		name string
		in   []*protocols.ArticleNote
		want string // depth and Message-ID of each article
	}{
		{"none", nil, ""},
		{"single ones, oldest first", parseThread("a", "b", "c"), "0a 0b 0c"},
		{"answers below", parseThread("a", "b<a", "c<a,b", "d<a"), "0a 1b 2c 1d"},
		{"thread with the oldest article first", parseThread("a", "x", "b<a"), "0a 1b 0x"},
		{"the answer came first", parseThread("b<a", "a"), "0a 1b"},
		{"loop", parseThread("a<b", "b<a"), "0b 1a"},
		{"to itself", parseThread("a<a", "b<a,b,a,b"), "0a 1b"},
		{"missing parent", parseThread("b<a", "c<a", "d<a,c"), "0b 1c 2d"},
		{"missing grandparents", parseThread("c<a,b", "d<a,b,c"), "0c 1d"},
		{"missing in the middle", parseThread("a", "c<a,b", "d<a,b"), "0a 1c 2d"},
		{"a reference named twice", parseThread("x<a,b,a"), "0x"},
		{"same id twice", parseThread("a", "a", "b<a"), "0a 1b 0a"},
		{"no id", []*protocols.ArticleNote{{Number: 1}, {Number: 2}}, "0 0"},
		{"subjects", parseThread("a Hello", "b Re: Hello", "c RE: re: Hello", "d Re: Other"), "0a 1b 1c 0d"},
		{"subjects of other languages", parseThread("a Hello", "b Aw: hello", "c Sv: Re[2]:  HELLO"), "0a 1b 1c"},
		{"encoded subjects", parseThread("a =?utf-8?q?Gr=C3=BC=C3=9Fe?=", "b Re: =?iso-8859-1?q?Gr=FC=DFe?="), "0a 1b"},
		{"a subject that changed", parseThread("a Old", "b New", "c Re: New (was: Old)"), "0a 0b 1c"},
		{"only replies join by subject", parseThread("a Hello", "b Hello", "c Hello"), "0a 0b 0c"},
		{"the subject begun last", parseThread("a FAQ", "b FAQ", "c Re: FAQ"), "0a 0b 1c"},
		{"replies to a missing subject", parseThread("a Re: Hello", "b Re: Hello"), "0a 1b"},
		{"no reply above what it answers", parseThread("a Re: Hello", "b Hello"), "0a 0b"},
		{"a long loop", parseThread("a<c", "b<a", "c<b", "d<c"), "0c 1a 2b 1d"},
		{"a loop by subject", parseThread("a<b Hello", "b Re: Hello"), "0b 1a"},
		{"subjects with references stay", parseThread("a Hello", "b<x Re: Hello"), "0a 0b"},
	}
	for _, tt := range tests {
		var got []string
		for _, a := range sortByThread(tt.in) {
			got = append(got, fmt.Sprintf("%d%s", a.Depth, a.MessageID))
		}
		fetchtest.Equal(t, strings.Join(got, " "), tt.want, "%s", tt.name)
	}
	list := sortByThread(parseThread(deep...))
	if last := list[len(list)-1]; last.Depth != 199 || last.MessageID != "d199" {
		t.Errorf("deep thread: last is %s at %d, want d199 at 199", last.MessageID, last.Depth)
	}
}

// TestSortBySeries checks that articles are sorted by date, with the parts of a series together and in
// their order.
func TestSortBySeries(t *testing.T) {
	posted := func(specs ...string) (list []*protocols.ArticleNote) {
		for i, s := range specs {
			name, subject, _ := strings.Cut(s, " ")
			name, day, dated := strings.Cut(name, "@")
			id, parent, answers := strings.Cut(name, "<")
			a := &protocols.ArticleNote{Number: uint64(i + 1), MessageID: id, Subject: subject, From: "A"}
			if answers {
				a.References = []string{parent}
			}
			if n, err := strconv.Atoi(day); dated && err == nil {
				a.Date = time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC)
			}
			list = append(list, a)
		}
		return list
	}
	byOther := posted("a@1 x (2/2)", "b@2 x (1/2)")
	byOther[1].From = "B"
	late := posted("a@3", "b", "c@2", "d@4", "e@1")
	late[3].Date = time.Now().AddDate(3, 0, 0)
	for _, tt := range []struct {
		name string
		in   []*protocols.ArticleNote
		want string
	}{
		{"by date", posted("a@3", "b@1", "c@2"), "0b 0c 0a"},
		{"the same date", posted("a@1", "b@1", "c@1"), "0a 0b 0c"},
		{"no date, or a future date", late, "0e 0c 0d 0a 0b"},
		{"before 1970", posted("a@3", "b@-30000", "c@4"), "0a 0b 0c"},
		{"answers", posted("a@3", "c<a@9", "b<a@8", "x@4"), "0a 1b 1c 0x"},
		{"an answer before what it answers", posted("x@2", "b<a@1", "a@3"), "0x 0a 1b"},
		{"a series", posted("c@1 x (3/3)", "a@2 x (1/3)", "b@3 x (2/3)"), "0a 0b 0c"},
		{"with others between", posted("p@1", "c@2 x [3/3]", "q@3", "a@4 x [1/3]", "b@5 x [2/3]", "r@6"), "0p 0a 0b 0c 0q 0r"},
		{"with its answers", posted("b@1 x (2/2)", "q@2", "a@3 x (1/2)", "r<a@4 Re: x (1/2)"), "0a 1r 0b 0q"},
		{"in a thread", posted("z@1 x (0/2)", "c<z@2 x (2/2)", "a<z@3 x (1/2)"), "0z 1a 1c"},
		{"with a part missing", posted("c@1 x (3/3)", "q@2", "a@3 x (1/3)"), "0a 0c 0q"},
		{"every month", posted("a@1 FAQ (1/2)", "b@2 FAQ (2/2)", "q@3", "d@4 FAQ (2/2)", "c@5 FAQ (1/2)"), "0a 0b 0q 0c 0d"},
		{"once without a part", posted("a@1 FAQ (1/3)", "c@2 FAQ (3/3)", "d@4 FAQ (1/3)", "e@5 FAQ (2/3)"), "0a 0c 0d 0e"},
		{"encoded", posted("b@1 =?utf-8?q?=C3=BC_(2/2)?=", "a@2 =?utf-8?q?=C3=BC_(1/2)?="), "0a 0b"},
		{"of two authors", byOther, "0a 0b"},
		{"of two subjects", posted("a@1 x (2/2)", "b@2 y (1/2)"), "0a 0b"},
		{"answers with such numbers", posted("a@1 Re: x (2/2)", "b<q@2 Re: x (1/2)"), "0a 0b"},
	} {
		var got []string
		for _, a := range sortByThread(tt.in) {
			got = append(got, fmt.Sprintf("%d%s", a.Depth, a.MessageID))
		}
		fetchtest.Equal(t, strings.Join(got, " "), tt.want, "%s", tt.name)
	}
}

func TestReferences(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"<a@b>", []string{"a@b"}},
		{"<a@b> <c@d>", []string{"a@b", "c@d"}},
		{"<a@b><c@d>,<e@f>", []string{"a@b", "c@d", "e@f"}},
		{"Joe's message <a@b> of Friday", []string{"a@b"}},
		{"<cut <a@b>", []string{"a@b"}},
		{"<a@b> <cut", []string{"a@b"}},
		{"<> <a@b>", []string{"a@b"}},
	}
	for _, tt := range tests {
		got := parseReferences(tt.in)
		if len(got) != len(tt.want) || len(got) > 0 && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("parseReferences(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	fetchtest.Equal(t, len(parseReferences(strings.Repeat("<a@b>", 100_000))), maxReferences, "references of 100000")
}

// TestUnreadDates checks that an article whose date cannot be read keeps the Date field.
func TestUnreadDates(t *testing.T) {
	for in, want := range map[string]protocols.UnreadDate{
		"someday  in\rMay": "someday in May", "": "", "Fri, 03 Jan 2025 06:49:46 +0000": "",
		strings.Repeat("x", 5000): protocols.UnreadDate(strings.Repeat("x", 100)),
	} {
		a, ok := parseOverview("7\ts\tf\t" + in + "\t<c@d>\t\t12\t3")
		if !ok || a.DateText != want || a.Date.IsZero() == strings.HasPrefix(in, "Fri") {
			t.Errorf("%.40q: got %+v, want the text %q", in, a, want)
		}
	}
}

func FuzzOverview(f *testing.F) {
	f.Add("1\tSubject\tFrom\tFri, 03 Jan 2025 06:49:46 -0000\t<a@b>\t<c@d> <e@f>\t12\t3\tXref: x\n2\tRe: Subject\t\t\t<c@d>\t<a@b>")
	f.Add("3\t\t\t\t<a@b>\t<a@b>\n3\ta")
	f.Add("1\ta\t\t\t<b@c>\t\t1\t2\tXref: x y:1\tIn-Reply-To: <c@d>\n2\tAw: a\t\t\t<c@d>\t<b@c>")
	f.Add("0\t\n\t\n18446744073709551616\tx\n-1\tx")
	f.Add("1\ta\tb\tc\t<\t<<>>< > <\t-4\t99999999999999999999")
	f.Fuzz(func(t *testing.T, text string) {
		var list []*protocols.ArticleNote
		for line := range strings.SplitSeq(text, "\n") {
			note, ok := parseOverview(line)
			if !ok {
				continue
			}
			if note.Bytes < -1 || note.Lines < -1 || len(note.References) > maxReferences {
				t.Errorf("parseOverview(%q) = %+v", line, note)
			}
			list = append(list, note)
		}
		got := sortByThread(list)
		if len(got) != len(list) {
			t.Fatalf("sortByThread of %d articles returned %d", len(list), len(got))
		}
		seen := map[*protocols.ArticleNote]bool{}
		depth := -1
		for _, a := range got {
			if seen[a] || a.Depth > depth+1 || a.Depth < 0 {
				t.Fatalf("sortByThread: article %+v follows an article at depth %d, repeated: %v", a, depth, seen[a])
			}
			seen[a], depth = true, a.Depth
		}
	})
}

func FuzzActive(f *testing.F) {
	f.Add("lab.mime 0000000017 0000000001 y", "215 17 1 17 lab.mime")
	f.Add("lab.alias 0 1 =lab.general", "0 0 0")
	f.Add("a 18446744073709551615 0 y", "200")
	f.Add("\t \x00 1 1", "2000 x")
	f.Fuzz(func(t *testing.T, line, status string) {
		if l := (target{}).groupLine(line, nil); l.Kind == protocols.Group && l.Link == nil || l.Kind != protocols.Group && l.Link != nil {
			t.Errorf("target{}.groupLine(%q) = %+v", line, l)
		}
		if r, err := parseReply(status, "peer", new(wire.Logins).Mask); err == nil && (r.code < 100 || r.code > 999) {
			t.Errorf("parseReply(%q) = %+v", status, r)
		}
		if m, ok := parseMarks(status); ok && !m.isEmpty() {
			if s := m.newest(500); s.first < m.low || s.last != m.high || s.first > s.last || s.last-s.first >= 500 {
				t.Errorf("%+v.newest(500) = %v; want at most 500 numbers up to the high mark", m, s)
			}
		}
		splitDescription([]byte(line))
	})
}

package nntp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// sparseGroup answers commands about the group a.b, which has articles with the given numbers.
type sparseGroup struct {
	group   string   // the reply to GROUP
	numbers []uint64 // in rising order
	list    string   // how LISTGROUP is known: "range", "whole" (RFC 2980), "ignored" (the range is) or "" for not at all
	refused []string // verbs that the server does not know
}

func (g *sparseGroup) answer(command string) (string, bool) {
	f := strings.Fields(command)
	if len(f) == 0 || slices.Contains(g.refused, f[0]) {
		return "500 what?", len(f) > 0
	}
	within := func(r string) (found []uint64) {
		first, last, isRange := strings.Cut(r, "-")
		low, _ := strconv.ParseUint(first, 10, 64)
		high, _ := strconv.ParseUint(last, 10, 64)
		if !isRange {
			high = low
		}
		for _, n := range g.numbers {
			if n >= low && n <= high {
				found = append(found, n)
			}
		}
		return found
	}
	var b strings.Builder
	switch f[0] {
	case "GROUP":
		return "211 " + g.group + " a.b", true
	case "LISTGROUP":
		if g.list == "" || len(f) > 2 && g.list == "whole" {
			return "501 syntax", true
		}
		listed := g.numbers
		if len(f) > 2 && g.list == "range" {
			listed = within(f[2])
		}
		b.WriteString("211 " + g.group + " list follows\n")
		for _, n := range listed {
			fmt.Fprintf(&b, "%d\n", n)
		}
	case "OVER", "XOVER":
		found := within(f[1])
		if len(found) == 0 {
			return "423 no articles", true
		}
		b.WriteString("224 go\n")
		for _, n := range found {
			fmt.Fprintf(&b, "%d\ts%d\t\t\t<%d@x>\t\t1\t1\n", n, n, n)
		}
	case "XHDR":
		b.WriteString("221 go\n")
		for _, n := range within(f[2]) {
			fmt.Fprintf(&b, "%d s%d\n", n, n)
		}
	case "HEAD":
		if len(within(f[1])) == 0 {
			return "423 no such article", true
		}
		return "221 go\nSubject: s\n.", true
	default:
		return "", false
	}
	return b.String() + ".", true
}

// numbersEvery returns count numbers from first on, at the given distance.
func numbersEvery(first, distance uint64, count int) (numbers []uint64) {
	for i := range count {
		numbers = append(numbers, first+uint64(i)*distance)
	}
	return numbers
}

// TestSparseGroup checks that the newest articles of a group are found wherever its numbers have holes, with few
// commands, and whatever its count says.
func TestSparseGroup(t *testing.T) {
	noOver, headsOnly := []string{"OVER", "XOVER"}, []string{"OVER", "XOVER", "XHDR"}
	thousand := numbersEvery(1, 1000, 600)
	tail := slices.Concat(numbersEvery(1, 1, 300), numbersEvery(1_000_000, 1, 300))
	for _, tt := range []struct {
		name     string
		g        sparseGroup
		want     int    // articles
		first    uint64 // number of the first one
		commands int    // at most
	}{
		{"three at the start", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, list: "range"}, 3, 1, 5},
		{"of a whole list", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, list: "whole"}, 3, 1, 6},
		{"of a list that ignores the range", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, list: "ignored"}, 3, 1, 5},
		{"without lists", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}}, 3, 1, 10},
		{"by XOVER", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, list: "range", refused: []string{"OVER"}}, 3, 1, 6},
		{"by XHDR", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, list: "range", refused: noOver}, 3, 1, 15},
		{"by XHDR without lists", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, refused: noOver}, 3, 1, 31},
		{"by HEAD", sparseGroup{group: "3 1 50000", numbers: []uint64{1, 2, 3}, list: "range", refused: headsOnly}, 3, 1, 113},
		{"a thousand numbers apart", sparseGroup{group: "600 1 599001", numbers: thousand, list: "range"}, 500, 100_001, 5},
		{"apart, without lists", sparseGroup{group: "600 1 599001", numbers: thousand}, 500, 100_001, 21},
		{"a low mark of 0", sparseGroup{group: "600 0 599001", numbers: thousand, list: "range"}, 500, 100_001, 5},
		{"a hole in the middle", sparseGroup{group: "600 1 1000299", numbers: tail, list: "range"}, 500, 101, 6},
		{"a hole in the middle, without lists", sparseGroup{group: "600 1 1000299", numbers: tail}, 500, 101, 20},
		{
			"few holes",
			sparseGroup{group: "600 1 650", numbers: slices.Concat(numbersEvery(1, 1, 400), numbersEvery(451, 1, 200)), list: "range"},
			500, 101, 5,
		},
		{"the end of the numbers", sparseGroup{group: "1 1 18446744073709551615", numbers: []uint64{7}, list: "range"}, 1, 7, 5},
		{"the end of the numbers, without lists", sparseGroup{group: "1 1 18446744073709551615", numbers: []uint64{7}}, 1, 7, 41},
		{"a billion numbers and no count", sparseGroup{group: "1000000000 1 1000000000", numbers: []uint64{5, 6}, list: "range"}, 2, 5, 11},
		{
			"a billion numbers and a list of the whole",
			sparseGroup{group: "1000000000 1 1000000000", numbers: []uint64{5, 6}, list: "whole"},
			2, 5, 21,
		},
		{"a count that is too small", sparseGroup{group: "2 1 50000", numbers: numbersEvery(1, 100, 400), list: "range"}, 400, 1, 5},
		{"a count that is too large", sparseGroup{group: "50000 1 50000", numbers: []uint64{1, 2, 3}, list: "range"}, 3, 1, 5},
		{"no article at all", sparseGroup{group: "5 1 50000", list: "range"}, 0, 0, 4},
		{"no article at all, without lists", sparseGroup{group: "5 1 50000"}, 0, 0, 10},
		{"one number", sparseGroup{group: "1 7 7", numbers: []uint64{7}, list: "range"}, 1, 7, 3},
	} {
		f := startFake(t, nil)
		f.setScript(tt.g.answer)
		_, lines, err := fetchLines(t, f.client(), f.groupURL("a.b"))
		fetchtest.NoError(t, err, "%s", tt.name)
		var numbers []uint64
		for _, line := range lines {
			if note, ok := line.Note.(*protocols.ArticleNote); ok {
				numbers = append(numbers, note.Number)
			}
		}
		slices.Sort(numbers)
		numbers = append(numbers, 0)
		if len(numbers)-1 != tt.want || numbers[0] != tt.first {
			t.Errorf("%s: %d articles, the first is %d; want %d from %d on", tt.name, len(numbers)-1, numbers[0], tt.want, tt.first)
		}
		if commands := f.sentCommands(); len(commands) > tt.commands {
			t.Errorf("%s: %d commands, want at most %d: %q", tt.name, len(commands), tt.commands, commands[:min(len(commands), 30)])
		}
	}
}

// TestSearchSparseGroup checks that a search reaches all articles of a group whose numbers have holes.
func TestSearchSparseGroup(t *testing.T) {
	for _, tt := range []struct {
		group   string
		numbers []uint64
		refused []string
	}{
		{"3 1 50000000", []uint64{1, 2, 3}, nil},
		{"3 1 50000000", []uint64{1, 2, 3}, []string{"XPAT", "HDR", "XHDR"}},
		{"3 1 18446744073709551615", []uint64{1, 2, 3}, nil},
		{"50000 1 50000000", append([]uint64{1, 2, 3}, numbersEvery(4_000, 1_000, 49_997)...), nil},
	} {
		g := sparseGroup{group: tt.group, numbers: tt.numbers, refused: tt.refused}
		f := startFake(t, nil)
		f.setScript(g.answer)
		_, lines, err := fetchLines(t, f.client(), searchOf(t, "subject=s2"))
		fetchtest.NoError(t, err, "%s", tt.group)
		if got := numbersOf(lines); !slices.Contains(got, 2) {
			t.Errorf("group %s, without %q: a search finds %d articles, not article 2", tt.group, tt.refused, len(got))
		}
		if commands := f.sentCommands(); len(commands) > 40 {
			t.Errorf("group %s, without %q: %d commands, want at most 40: %q", tt.group, tt.refused, len(commands), commands[:40])
		}
	}
}

// TestSparseGroupFromFirst checks that all articles from a number on are found where the numbers have holes.
func TestSparseGroupFromFirst(t *testing.T) {
	for _, list := range []string{"range", ""} {
		for from, want := range map[uint64]int{0: 500, 1: 600, 2000: 598, 400_000: 500} {
			g := sparseGroup{group: "600 1 599001", numbers: numbersEvery(1, 1000, 600), list: list}
			f := startFake(t, nil)
			f.setScript(g.answer)
			first := func(string, uint64, uint64) (uint64, string) { return from, "" }
			articles, _ := countArticles(t, f.client(), protocols.Request{URL: f.groupURL("a.b"), FirstArticle: first})
			if list == "" && articles >= want { // ranges of numbers may reach further
				continue
			}
			fetchtest.Equal(t, articles, want, "from %d, LISTGROUP %q: articles", from, list)
		}
	}
}

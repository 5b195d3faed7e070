package syncstate

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
)

const newsServer = "news.example:119"

// machine is a machine with the user's files and its record.
type machine struct {
	name                 string
	newsrc, marks, rules []byte
	changed              time.Time // marks
	base                 State
	counts               Tally // of the last sync
}

// folder holds what the machines know, as their files do.
type folder map[string]State

func (s State) of(kinds ...string) State {
	part := make(State)
	for key, e := range s {
		if slices.Contains(kinds, key.Kind) {
			part[key] = e
		}
	}
	return part
}

func (m *machine) sync(dir folder) {
	others := Joined(slices.Collect(maps.Values(dir))...)
	first := m.base == nil
	f := newsrc.Parse(m.newsrc)
	groups, c1 := MergeGroups(f, newsServer, m.base.of(Group), others.of(Group), first)
	marks, list, c2 := MergeBookmarks(m.marks, m.changed, m.base.of(Bookmark, Order), others.of(Bookmark, Order), first)
	rules, all, c3, _ := MergeRules(m.rules, m.base.of(Rule), others.of(Rule), first)
	m.newsrc, m.marks, m.rules = f.Bytes(), marks, rules
	m.base, m.counts = Joined(groups, list, all), slices.Concat(c1, c2, c3)
	dir[m.name] = m.base
}

// view is what the files of a machine say.
type view struct {
	read, subscribed map[string]bool
	marks            map[string]string
	order            map[string]string
	rules            map[string]bool
}

func (m *machine) view() view {
	v := view{make(map[string]bool), make(map[string]bool), nil, nil, make(map[string]bool)}
	for _, g := range newsrc.Parse(m.newsrc).Groups() {
		for _, r := range g.Read {
			for n := r.First; n <= r.Last; n++ {
				v.read[fmt.Sprint(g.Name, n)] = true
			}
		}
		if g.Subscribed {
			v.subscribed[g.Name] = true
		}
	}
	e := bookmarks.Exchange(m.marks)
	v.marks, v.order = e.Marks, e.Order
	for _, rule := range score.Split(m.rules) {
		v.rules[rule] = true
	}
	return v
}

func (v view) String() string { return fmt.Sprint(v.read, v.subscribed, v.marks, v.order, v.rules) }

// edit changes the files of m as its user may do, and as the dice say for all files with
// the same content.
func (m *machine) edit(dice *rand.Rand, now time.Time) {
	f := newsrc.Parse(m.newsrc)
	for range dice.IntN(4) {
		g, _ := f.Group([]string{"a.b", "c.d", "e.f"}[dice.IntN(3)])
		from := dice.Uint64N(20) + 1
		some := newsrc.Numbers{{First: from, Last: from + dice.Uint64N(6)}}
		switch dice.IntN(5) {
		case 0, 1:
			g.Read = g.Read.With(some)
		case 2:
			g.Read = g.Read.Without(some)
		case 3:
			g.Subscribed = true
		case 4:
			g.Subscribed = false
		}
		f.Set(g)
	}
	m.newsrc = f.Bytes()
	have := bookmarks.Exchange(m.marks)
	lines := strings.SplitAfter("# mine\n"+strings.TrimSuffix(string(have.Write(nil)), "\n"), "\n")
	for range dice.IntN(4) {
		i := dice.IntN(len(lines))
		isMark := strings.Contains(lines[i], "://")
		switch mark := fmt.Sprintf("gopher://h%d.example/1 title %d\n", dice.IntN(6), dice.IntN(3)); dice.IntN(5) {
		case 0, 1:
			lines = slices.Insert(lines, i, mark)
		case 2:
			lines = slices.Insert(lines, i, fmt.Sprintf("## folder %d\n", dice.IntN(3)))
		case 3:
			if isMark {
				lines = slices.Delete(lines, i, i+1)
			}
		case 4:
			k := dice.IntN(len(lines))
			lines[i], lines[k] = lines[k], lines[i]
		}
		if len(lines) == 0 {
			lines = []string{"# none\n"}
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\n") + "\n"
	}
	if text := []byte(strings.Join(lines, "")); fmt.Sprint(bookmarks.Exchange(text)) != fmt.Sprint(have) {
		m.marks, m.changed = text, now
	}
	rule := fmt.Sprintf("[g%d.*]\n  Score: %d\n  Subject: x\n", dice.IntN(2), dice.IntN(4))
	switch all := score.Split(m.rules); {
	case dice.IntN(3) == 0:
		m.rules = score.Add(m.rules, rule)
	case len(all) > 1 && dice.IntN(2) == 0:
		slices.Sort(all)
		gone := all[dice.IntN(len(all))]
		m.rules = score.Merge(m.rules, func(rule string) bool { return rule != gone }, nil)
	}
}

func newMachines() []*machine {
	var all []*machine
	for i := range 3 {
		all = append(all, &machine{name: fmt.Sprintf("m%d", i), marks: []byte("# mine\n"), changed: time.UnixMilli(1), rules: []byte("% mine\n")})
	}
	return all
}

func histories(t *testing.T) int {
	if testing.Short() {
		return 50
	}
	return 1000
}

var orders = [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// want is what three-way merges make of changes of base.
func want(base view, changed []view, times []time.Time) view {
	w := view{read: make(map[string]bool), subscribed: make(map[string]bool), marks: maps.Clone(base.marks), rules: make(map[string]bool)}
	for _, set := range []func(view) map[string]bool{
		func(v view) map[string]bool { return v.read },
		func(v view) map[string]bool { return v.subscribed },
		func(v view) map[string]bool { return v.rules },
	} {
		all := maps.Clone(set(base))
		for _, v := range changed {
			maps.Copy(all, set(v))
		}
		for x := range all {
			is := set(base)[x]
			if slices.ContainsFunc(changed, func(v view) bool { return set(v)[x] != is }) != is {
				set(w)[x] = true
			}
		}
	}
	latest := make(map[string]time.Time)
	for i, v := range changed {
		all := maps.Clone(base.marks)
		maps.Copy(all, v.marks)
		for url := range all {
			if v.marks[url] != base.marks[url] && times[i].After(latest[url]) {
				latest[url] = times[i]
				if w.marks[url] = v.marks[url]; v.marks[url] == "" {
					delete(w.marks, url)
				}
			}
		}
	}
	return w
}

// TestAllOrders: three machines that are changed and then synchronised have the result
// of a three-way merge, in whatever order they do so, and to do it again changes nothing.
func TestAllOrders(t *testing.T) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for seed := range histories(t) {
		var results []string
		for _, order := range orders {
			dir, all := make(folder), newMachines()
			base := all[0].view()
			for round := range 2 {
				dice := rand.New(rand.NewPCG(uint64(seed), uint64(round)))
				var changed []view
				var times []time.Time
				for i, m := range all {
					m.edit(dice, start.Add(time.Duration(round)*time.Hour+time.Duration((i+seed)%3)*time.Minute))
					changed, times = append(changed, m.view()), append(times, m.changed)
				}
				for range 2 {
					for _, i := range order {
						all[i].sync(dir)
					}
				}
				w := want(base, changed, times)
				for _, m := range all {
					got := m.view()
					if w.order = got.order; got.String() != w.String() {
						t.Fatalf("history %d, order %v, round %d, %s:\ngot  %v\nwant %v", seed, order, round, m.name, got, w)
					}
				}
				base = w
				if all[0].view().String() != all[1].view().String() || all[0].view().String() != all[2].view().String() {
					t.Fatalf("history %d, order %v: bookmarks have different orders\n%s\n%s\n%s", seed, order, all[0].marks, all[1].marks, all[2].marks)
				}
			}
			for _, m := range all {
				before := *m
				known := dir[m.name]
				m.sync(dir)
				if len(m.counts) > 0 || !maps.EqualFunc(known, dir[m.name], Entry.Equal) || !bytes.Equal(slices.Concat(before.newsrc, before.marks, before.rules), slices.Concat(m.newsrc, m.marks, m.rules)) {
					t.Fatalf("history %d, order %v: to sync again changes %v\n%s\n%s", seed, order, m.counts, before.marks, m.marks)
				}
			}
			results = append(results, all[0].view().String())
		}
		if distinct := slices.Compact(results); len(distinct) > 1 {
			t.Fatalf("history %d: orders have different results:\n%s", seed, strings.Join(distinct, "\n"))
		}
	}
}

// TestNothingLost: whenever machines synchronise, also with old copies of the files of the
// others, in the end all have what somebody has made and nobody has undone.
func TestNothingLost(t *testing.T) {
	for seed := range histories(t) / 4 {
		dice := rand.New(rand.NewPCG(uint64(seed), 7))
		dir, old, all := make(folder), make(folder), newMachines()
		made, undone := make(map[string]bool), make(map[string]bool)
		flat := func(v view) map[string]bool {
			set := maps.Clone(v.read)
			for name := range v.subscribed {
				set["subscribed "+name] = true
			}
			for url := range v.marks {
				set[url] = true
			}
			maps.Copy(set, v.rules)
			return set
		}
		for step := range 30 {
			m := all[dice.IntN(3)]
			switch dice.IntN(4) {
			case 0, 1:
				m.sync(dir)
			case 2:
				before := flat(m.view())
				m.edit(dice, time.UnixMilli(int64(1000*step+1)))
				after := flat(m.view())
				for x := range after {
					made[x] = made[x] || !before[x]
				}
				for x := range before {
					undone[x] = undone[x] || !after[x]
				}
			case 3: // the folder is carried late, or a conflict copy comes back
				dir, old = old, maps.Clone(dir)
				m.sync(dir)
				for name, data := range old {
					if name != m.name {
						dir[name] = data
					}
				}
			}
		}
		for range 2 {
			for _, m := range all {
				m.sync(dir)
			}
		}
		for _, m := range all {
			data := m.base.Encode(m.name)
			if s, name, skipped, err := Decode(data); err != nil || name != m.name || skipped != 0 || !maps.EqualFunc(s, m.base, Entry.Equal) {
				t.Fatalf("history %d: the file of %s is read as that of %q, %d skipped, %v:\n%s", seed, m.name, name, skipped, err, data)
			}
			if m.view().String() != all[0].view().String() {
				t.Fatalf("history %d: %s has\n%v\n%s has\n%v", seed, m.name, m.view(), all[0].name, all[0].view())
			}
			have := flat(m.view())
			for x := range made {
				if !undone[x] && !have[x] {
					t.Fatalf("history %d: %s has lost %q", seed, m.name, x)
				}
			}
			for x := range have {
				if !made[x] {
					t.Fatalf("history %d: %s has %q, which nobody made", seed, m.name, x)
				}
			}
		}
	}
}

// TestDamaged: a file that is not there as a whole, or has changed, is refused; entries
// that make no sense are passed over.
func TestDamaged(t *testing.T) {
	s := State{
		{Group, newsServer + " a.b"}:     {Stamp: 1, Value: ":", Read: Toggled{{{First: 1, Last: 9}}, {{First: 3, Last: 3}}}},
		{Bookmark, "gopher://h.example"}: {}, // what was removed needs no valid URL
		{"later kind", "x"}:              {Stamp: 1<<64 - 1, Value: "\x1b[2J"},
	}
	data := s.Encode("m")
	got, name, skipped, err := Decode(data)
	if err != nil || name != "m" || skipped != 0 || !maps.EqualFunc(got, s, Entry.Equal) {
		t.Errorf("got %v of %q, %d skipped, %v", got, name, skipped, err)
	}
	fetchtest.Equal(t, got[Key{Group, newsServer + " a.b"}].Read.Read().String(), "1-2,4-9")
	for i := range data {
		if _, _, _, err := Decode(data[:i]); err == nil {
			t.Errorf("%d of %d octets are a file", i, len(data))
		}
		other := bytes.Clone(data)
		if other[i] ^= 1; i > len(heading) {
			if _, _, _, err := Decode(other); err == nil {
				t.Errorf("with octet %d changed it is a file", i)
			}
		}
	}
	bad := State{
		{Group, "../x a.b"}:                                      {Value: ":"},
		{Group, newsServer + " a.b!"}:                            {Value: ":"},
		{Group, newsServer + " a b"}:                             {Value: ":"},
		{Group, newsServer + " a\n.b"}:                           {Value: ":"},
		{Group, newsServer + " a\x1b.b"}:                         {Value: ":"},
		{Group, newsServer + " a.b"}:                             {Value: "?"},
		{Rule, "[a]\n  Score: 1\n[b]\n  Score: 2\n"}:             {Value: "+"},
		{Rule, "[a]\n  Score: 1\n  include /etc/passwd\n"}:       {Value: "+"},
		{Rule, "include /etc/passwd\n"}:                          {Value: "+"},
		{Rule, "[a]\n  Score: 1\x1b\n"}:                          {Value: "+"},
		{Bookmark, "no URL"}:                                     {Value: "\tx"},
		{Bookmark, "ftp://joe:secret@h.example/"}:                {Value: "\tx"},
		{Bookmark, "gopher://h.example/1\ngopher://i.example/1"}: {Value: "\tx"},
		{Page, "gopher://h.example/1"}:                           {Value: "AAA"},
	}
	got, _, skipped, err = Decode(bad.Encode("m"))
	if err != nil || skipped != len(bad) || len(got) != 0 {
		t.Errorf("of entries without sense %v were taken, %d skipped, %v", slices.Collect(maps.Keys(got)), skipped, err)
	}
}

// TestBothKept: two versions of a rule stay, which is told, and a file that an editor has
// emptied for a moment removes nothing on other machines.
func TestBothKept(t *testing.T) {
	dir, all := make(folder), newMachines()
	const old, here, there, other = "[a.*]\n  Score: 1\n  From: x\n", "[a.*]\n  Score: 2\n  From: x\n", "[a.*]\n  Score: 3\n  From: x\n", "[b]\n  Score: 1\n  From: x\n"
	all[0].rules, all[0].marks = []byte(old+other), []byte("gopher://a.example/1\ngopher://b.example/1\n")
	for _, m := range all {
		m.sync(dir)
	}
	all[0].rules, all[1].rules = []byte(here+other), []byte(there+other)
	all[0].sync(dir)
	all[1].sync(dir)
	fetchtest.Equal(t, strings.Join(all[1].counts, "; "), "1 rule added there, 1 here; 1 rule removed here; a rule for [a.*] was changed here and there, both are kept")
	all[1].marks, all[1].newsrc = []byte("gopher://b.example/1\ngopher://a.example/1\n"), []byte("a.b: 1-3\n")
	all[1].sync(dir)
	all[0].sync(dir)
	fetchtest.Equal(t, string(all[0].marks)+string(all[0].newsrc), "gopher://b.example/1\ngopher://a.example/1\na.b: 1-3\n")
	all[0].rules, all[0].marks, all[0].newsrc = nil, nil, nil
	all[0].sync(dir)
	fetchtest.Equal(t, string(all[0].newsrc), "a.b: 1-3\n")
	fetchtest.Equal(t, strings.Join(all[0].counts, "; "), "3 articles read there; 1 group subscribed there; 2 bookmarks added there; 3 rules added there")
	for _, m := range all {
		m.sync(dir)
		fetchtest.Equal(t, len(score.Split(m.rules)), 3, m.name)
		fetchtest.Equal(t, len(m.view().marks), 2, m.name)
	}
}

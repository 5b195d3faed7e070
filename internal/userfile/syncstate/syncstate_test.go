package syncstate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
)

const newsServer = "news.example:119"

// machine is a machine with the files of the user and its state of the last sync.
type machine struct {
	name                 string
	newsrc, marks, rules []byte
	changed              time.Time // time of the last change to the bookmarks
	base                 State
	sent, received       int // number of changes in the last sync
}

// folder is the shared folder: the states of the machines by name.
type folder map[string]State

func (m *machine) sync(dir folder) {
	merge := Merge{Base: m.base, Others: Join(slices.Collect(maps.Values(dir))...), First: m.base == nil}
	f := newsrc.Parse(m.newsrc)
	merge.Groups(f, newsServer)
	m.newsrc, m.marks, m.rules = f.Bytes(), merge.Bookmarks(m.marks, m.changed), merge.Rules(m.rules)
	m.base, m.sent, m.received = merge.Result, merge.Sent, merge.Received
	dir[m.name] = m.base
}

// view holds the content of the files of a machine.
type view struct {
	flags        map[string]bool // read articles, subscriptions and rules
	marks, order map[string]string
}

func (m *machine) view() view {
	v := view{flags: make(map[string]bool)}
	for _, g := range newsrc.Parse(m.newsrc).Groups() {
		for _, r := range g.Read {
			for n := r.First; n <= r.Last; n++ {
				v.flags[g.Name+strconv.FormatUint(n, 10)] = true
			}
		}
		if g.Subscribed {
			v.flags["subscribed "+g.Name] = true
		}
	}
	e := bookmarks.Exchange(m.marks)
	v.marks, v.order = e.Marks, e.Order
	for _, rule := range score.Split(m.rules) {
		v.flags[rule] = true
	}
	return v
}

func (v view) equal(other view) bool {
	return maps.Equal(v.flags, other.flags) && maps.Equal(v.marks, other.marks) && maps.Equal(v.order, other.order)
}

// edits holds functions that change a file of m at random. The same state of dice and the same content
// of the file give the same changes.
var edits = []func(m *machine, dice *rand.Rand, now time.Time){editGroups, editBookmarks, editRules}

func editGroups(m *machine, dice *rand.Rand, _ time.Time) {
	f := newsrc.Parse(m.newsrc)
	for range dice.IntN(4) {
		g, _ := f.Group([]string{"a.b", "c.d", "e.f"}[dice.IntN(3)])
		from := dice.Uint64N(20) + 1
		some := newsrc.Numbers{{First: from, Last: from + dice.Uint64N(6)}}
		switch dice.IntN(5) {
		case 0, 1:
			g.Read = g.Read.Union(some)
		case 2:
			g.Read = g.Read.Subtract(some)
		case 3:
			g.Subscribed = true
		case 4:
			g.Subscribed = false
		}
		f.Set(g)
	}
	m.newsrc = f.Bytes()
}

func editBookmarks(m *machine, dice *rand.Rand, now time.Time) {
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
	text := []byte(strings.Join(lines, ""))
	if e := bookmarks.Exchange(text); !maps.Equal(e.Marks, have.Marks) || !maps.Equal(e.Order, have.Order) {
		m.marks, m.changed = text, now
	}
}

func editRules(m *machine, dice *rand.Rand, _ time.Time) {
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

// mergeViews returns the three-way merge of changed versions of base, without the order of bookmarks.
func mergeViews(base view, changed []view, times []time.Time) view {
	w := view{flags: make(map[string]bool), marks: maps.Clone(base.marks)}
	all := maps.Clone(base.flags)
	for _, v := range changed {
		maps.Copy(all, v.flags)
	}
	for x := range all {
		is := base.flags[x]
		if slices.ContainsFunc(changed, func(v view) bool { return v.flags[x] != is }) != is {
			w.flags[x] = true
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

// TestAllOrders changes files on three machines and syncs them in every order. The result
// must always equal a three-way merge, and another sync must change nothing.
func TestAllOrders(t *testing.T) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for seed := range histories(t) {
		var results []view
		for _, order := range orders {
			dir, all := make(folder), newMachines()
			base := all[0].view()
			for round := range 2 {
				dice := rand.New(rand.NewPCG(uint64(seed), uint64(round)))
				var changed []view
				var times []time.Time
				for i, m := range all {
					edits[seed%3](m, dice, start.Add(time.Duration(round)*time.Hour+time.Duration((i+seed/3)%3)*time.Minute))
					changed, times = append(changed, m.view()), append(times, m.changed)
				}
				for _, i := range append(order, order[:2]...) { // two more syncs give all machines all changes
					all[i].sync(dir)
				}
				w := mergeViews(base, changed, times)
				w.order = all[0].view().order
				for _, m := range all {
					if got := m.view(); !got.equal(w) {
						t.Fatalf("history %d, order %v, round %d, %s:\ngot  %v\nwant %v", seed, order, round, m.name, got, w)
					}
				}
				base = w
			}
			for _, m := range all {
				before := *m
				known := dir[m.name]
				m.sync(dir)
				if m.sent+m.received > 0 || !equal(known, dir[m.name]) || !bytes.Equal(slices.Concat(before.newsrc, before.marks, before.rules), slices.Concat(m.newsrc, m.marks, m.rules)) {
					t.Fatalf("history %d, order %v: another sync of %s sends %d and receives %d changes, want none\n%s\n%s", seed, order, m.name, m.sent, m.received, before.marks, m.marks)
				}
			}
			if results = append(results, all[0].view()); !results[0].equal(results[len(results)-1]) {
				t.Fatalf("history %d: different orders have different results:\n%v", seed, results)
			}
		}
	}
}

// TestNothingLost syncs machines at random times, also with old copies of the shared files. In the
// end all machines have every addition that was not undone.
func TestNothingLost(t *testing.T) {
	for seed := range histories(t) / 4 {
		dice := rand.New(rand.NewPCG(uint64(seed), 7))
		dir, old, all := make(folder), make(folder), newMachines()
		made, undone := make(map[string]bool), make(map[string]bool)
		flat := func(v view) map[string]bool {
			set := maps.Clone(v.flags)
			for url := range v.marks {
				set[url] = true
			}
			return set
		}
		for step := range 30 {
			m := all[dice.IntN(3)]
			switch dice.IntN(4) {
			case 0, 1:
				m.sync(dir)
			case 2:
				before := flat(m.view())
				for _, edit := range edits {
					edit(m, dice, time.UnixMilli(int64(1000*step+1)))
				}
				after := flat(m.view())
				for x := range after {
					made[x] = made[x] || !before[x]
				}
				for x := range before {
					undone[x] = undone[x] || !after[x]
				}
			case 3: // m syncs with an old copy of the folder, whose files then replace the files of other machines
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
			data := fetchtest.Must(json.Marshal(m.base))(t)
			if s, err := Decode(data); err != nil || !equal(s, m.base) {
				t.Fatalf("history %d: Decode of the state of %s = %v, %v; want the state\n%s", seed, m.name, s, err, data)
			}
			if !m.view().equal(all[0].view()) {
				t.Fatalf("history %d: %s has\n%v\n%s has\n%v\nwant both the same", seed, m.name, m.view(), all[0].name, all[0].view())
			}
			have := flat(m.view())
			for x := range made {
				if !undone[x] && !have[x] {
					t.Fatalf("history %d: %s has lost %q", seed, m.name, x)
				}
			}
			for x := range have {
				if !made[x] {
					t.Fatalf("history %d: %s has %q, which no edit added", seed, m.name, x)
				}
			}
		}
	}
}

func equal(a, b State) bool {
	return maps.EqualFunc(a, b, func(a, b Entries) bool { return maps.EqualFunc(a, b, Entry.Equal) })
}

// TestDecode checks that an incomplete file is refused, and that invalid entries are dropped.
func TestDecode(t *testing.T) {
	const kind, page = Newsrc + newsServer, "gopher://h.example/1"
	s := State{
		kind:         {"a.b": {Stamp: 1, Value: ":", Read: Toggles{{{First: 1, Last: 9}}, {{First: 3, Last: 3}}}}},
		Bookmark:     {"gopher://h.example": {}}, // a removed bookmark needs no valid URL
		"later kind": {"x": {Stamp: maxStamp, Value: "\x1b[2J"}},
	}
	data := fetchtest.Must(json.Marshal(s))(t)
	got, err := Decode(data)
	if err != nil || !equal(got, s) {
		t.Errorf("Decode(%s) = %v, %v; want %v", data, got, err, s)
	}
	fetchtest.Equal(t, got[kind]["a.b"].Read.Read().String(), "1-2,4-9")
	for i := range data {
		if _, err := Decode(data[:i]); err == nil {
			t.Errorf("Decode of %d of %d octets: got no error, want one", i, len(data))
		}
	}
	if s, err := Decode([]byte(`{"x":{"y":{"read":["1-"]}}}`)); err == nil {
		t.Errorf("Decode of a range without an end = %v, want an error", s)
	}
	bad := State{
		Newsrc + "../x": {"a.b": {}},
		kind:            {"a.b!": {}, "a b": {}, "a\n.b": {}, "a\x1b.b": {}, "a.b": {Stamp: maxStamp + 1}, "c.d": {Read: make(Toggles, maxToggles+1)}},
		Rule: {
			"[a]\n  Score: 1\n[b]\n  Score: 2\n": {}, "[a]\n  Score: 1\n  include /etc/passwd\n": {},
			"include /etc/passwd\n": {}, "[a]\n  Score: 1\x1b\n": {},
		},
		Bookmark: {
			"no URL": {Value: "\tx"}, "ftp://joe:secret@h.example/": {Value: "\tx"},
			page + "\ngopher://i.example/1": {Value: "\tx"}, page + " x": {Value: "\tx"},
		},
		Page: {page: {Value: "AAA"}, page + "x": {Value: "AAAA"}},
	}
	got, err = Decode(fetchtest.Must(json.Marshal(bad))(t))
	for kind, entries := range got {
		if len(entries) > 0 {
			t.Errorf("Decode: got %v of the kind %q, want none", entries, kind)
		}
	}
	fetchtest.NoError(t, err)
}

// TestConflictingRules checks that two versions of a rule are both kept, and that a file emptied by an
// editor for a moment removes nothing on other machines.
func TestConflictingRules(t *testing.T) {
	dir, all := make(folder), newMachines()
	const old, here, there, other = "[a.*]\n  Score: 1\n  From: x\n", "[a.*]\n  Score: 2\n  From: x\n", "[a.*]\n  Score: 3\n  From: x\n", "[b]\n  Score: 1\n  From: x\n"
	all[0].rules, all[0].marks = []byte(old+other), []byte("gopher://a.example/1\ngopher://b.example/1\n")
	for _, m := range all {
		m.sync(dir)
	}
	all[0].rules, all[1].rules = []byte(here+other), []byte(there+other)
	all[0].sync(dir)
	all[1].sync(dir)
	fetchtest.Equal(t, fmt.Sprint(all[1].sent, all[1].received), "2 1")
	all[1].marks, all[1].newsrc = []byte("gopher://b.example/1\ngopher://a.example/1\n"), []byte("a.b: 1-3\n")
	all[1].sync(dir)
	all[0].sync(dir)
	fetchtest.Equal(t, string(all[0].marks)+string(all[0].newsrc), "gopher://b.example/1\ngopher://a.example/1\na.b: 1-3\n")
	all[0].rules, all[0].marks, all[0].newsrc = nil, nil, nil
	all[0].sync(dir)
	fetchtest.Equal(t, string(all[0].newsrc), "a.b: 1-3\n")
	fetchtest.Equal(t, fmt.Sprint(all[0].sent, all[0].received), "0 6")
	for _, m := range all {
		m.sync(dir)
		fetchtest.Equal(t, len(score.Split(m.rules)), 3, m.name)
		fetchtest.Equal(t, len(m.view().marks), 2, m.name)
	}
}

// TestRemoveLast checks that the last bookmark and the last rule can be removed, but that a missing file
// removes nothing. The links of a page are removed with its bookmark.
func TestRemoveLast(t *testing.T) {
	const mark, rule, page = "gopher://a.example/1\n", "[b]\n  Score: 1\n  From: x\n", "gopher://a.example/1"
	dir, all := make(folder), newMachines()
	all[0].marks, all[0].rules = []byte(mark), []byte(rule)
	for _, m := range all {
		m.sync(dir)
	}
	all[1].marks, all[1].changed = nil, time.Time{}
	all[1].sync(dir)
	fetchtest.Equal(t, string(all[1].marks), mark)
	all[1].marks, all[1].changed, all[1].rules = nil, time.UnixMilli(9), nil
	for _, m := range []*machine{all[1], all[0]} {
		m.sync(dir)
		fetchtest.Equal(t, string(m.marks)+string(m.rules), "", m.name)
	}
	m := Merge{Others: State{Page: {page: {Stamp: 2, Value: "AAAAAAAAAAA="}}}}
	for marked, want := range map[string]int{page: 1, "gopher://b.example/1": 0} {
		changed := m.Pages(Entries{}, map[string]string{marked: "\t"})
		if len(changed) != want || len(m.Result[Page]) != want {
			t.Errorf("with the bookmark %s: Pages = %v and the result has %d pages, want %d", marked, changed, len(m.Result[Page]), want)
		}
	}
}

// TestWrongClock checks that a change made on a machine wins over earlier changes that the machine has
// synced, even if the clocks of the machines are wrong.
func TestWrongClock(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, skew := range [][3]time.Duration{{10 * day, 0, 0}, {-10 * day, 0, 0}, {0, 10 * day, -10 * day}, {-1e6 * time.Hour, 0, 1e6 * time.Hour}} {
		dir, all := make(folder), newMachines()
		for _, m := range all {
			m.sync(dir)
		}
		for step, text := range []string{"one", "two\n## x", "", "three", "two", "three"} {
			m := all[step%3]
			m.marks, m.changed = []byte("gopher://a.example/ kept\n"), now.Add(skew[step%3]+time.Duration(step)*time.Minute)
			if text != "" {
				m.marks = append([]byte("gopher://h.example/1 "+text+"\n"), m.marks...)
			}
			want := bookmarks.Exchange(m.marks)
			m.sync(dir)
			for _, m := range all {
				m.sync(dir)
				got := m.view()
				if !maps.Equal(got.marks, want.Marks) || !maps.Equal(got.order, want.Order) {
					t.Errorf("skew %v, step %d, %s: got %v, want %v", skew, step, m.name, got, want)
				}
			}
		}
	}
}

// TestRestoredMachines syncs a machine that was restored from a backup, and another machine that became a
// copy of it with the same name. Both get all changes of the others and keep their own.
func TestRestoredMachines(t *testing.T) {
	for seed := range histories(t) / 10 {
		dice, dir, all := rand.New(rand.NewPCG(uint64(seed), 9)), make(folder), newMachines()
		var backup machine
		for round := range 6 {
			for _, m := range all {
				for _, edit := range edits {
					edit(m, dice, time.UnixMilli(int64(1000*round+1)))
				}
				m.sync(dir)
			}
			if round == 1 {
				backup = *all[0]
			}
		}
		for range 2 {
			for _, m := range all {
				m.sync(dir)
			}
		}
		want := all[1].view()
		*all[0], *all[2] = backup, backup // all[2] has the same name as all[0]
		all[2].newsrc = append(slices.Clone(backup.newsrc), "new.group: 7\n"...)
		want.flags["subscribed new.group"], want.flags["new.group7"] = true, true
		for range 2 {
			for _, m := range all {
				m.sync(dir)
			}
		}
		for _, m := range all {
			if got := m.view(); !got.equal(want) {
				t.Fatalf("history %d, %s: got\n%v\nwant\n%v", seed, m.name, got, want)
			}
		}
	}
}

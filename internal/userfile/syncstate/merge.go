package syncstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/history/bookmarks"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
)

// The functions that merge a file add what it has to base, the last common state, and
// return what that is together with others. If first is set there is no common state, and
// nothing is taken away from the file.

// MergeGroups merges the newsrc file of a server.
func MergeGroups(f *newsrc.File, server string, base, others State, first bool) (merged State, counts Tally) {
	if first {
		base = Joined(base, others)
	}
	groups := f.Groups()
	mine := Joined(base)
	for _, g := range groups {
		if key := (Key{Group, server + " " + g.Name}); key.Accepts(":") {
			mine.setGroup(key, g, first)
		}
	}
	merged = Joined(mine, others)
	var read, unread, subscribed, unsubscribed [2]int // there and here
	count := func(side int, from, to newsrc.Group) {
		read[side] += size(to.Read.Without(from.Read))
		unread[side] += size(from.Read.Without(to.Read))
		if to.Subscribed && !from.Subscribed {
			subscribed[side]++
		} else if from.Subscribed && !to.Subscribed {
			unsubscribed[side]++
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(merged), Key.Compare) {
		name := strings.TrimPrefix(key.Name, server+" ")
		before, known := f.Group(name)
		after := merged[key].group(name)
		count(1, base[key].group(name), mine[key].group(name))
		dropped := !first && len(groups) > 0 && merged[key].Equal(base[key]) // by a newsreader
		if known || !dropped && (after.Subscribed || len(after.Read) > 0) {
			count(0, before, after)
			f.Set(after)
		}
	}
	counts.Add("article", "read", read[0], read[1])
	counts.Add("article", "marked unread", unread[0], unread[1])
	counts.Add("group", "subscribed", subscribed[0], subscribed[1])
	counts.Add("group", "unsubscribed", unsubscribed[0], unsubscribed[1])
	return merged, counts
}

func size(n newsrc.Numbers) int { return int(n.Count(0, 1<<62)) }

// MergeBookmarks merges the text of a file of bookmarks that was last changed at a time,
// or never if that is zero.
func MergeBookmarks(text []byte, changed time.Time, base, others State, first bool) (result []byte, merged State, counts Tally) {
	if first {
		base = Joined(base, others)
	}
	have, known := bookmarks.Exchange(text), base.exchanged()
	at := uint64(max(0, changed.UnixMilli()))
	lost := changed.IsZero() || len(text) == 0 && len(known.Marks) > 1 // an editor may be writing it
	mine := Joined(base)
	mine.setAll(Bookmark, have.Marks, at, first || lost)
	for folder, urls := range have.Order {
		if first || known.Order[folder] != urls {
			mine.set(Key{Order, folder}, urls, at, first)
		}
	}
	merged = Joined(mine, others)
	want, here := merged.exchanged(), mine.exchanged()
	counts.addChanges("bookmark", have.Marks, want.Marks, known.Marks, here.Marks)
	if len(counts) == 0 {
		_, there, _ := differences(have.Order, want.Order)
		_, here, _ := differences(known.Order, here.Order)
		counts.Add("folder", "put in order", there, here)
	}
	return want.Write(text), merged, counts
}

// exchanged returns the bookmarks, with the order that they have in a file.
func (s State) exchanged() bookmarks.Exchanged {
	e := bookmarks.Exchanged{Marks: s.Values(Bookmark), Order: s.Values(Order)}
	e.Order = e.Sequence()
	return e
}

// MergeRules merges a score file. Unfit is the number of rules that are not exchanged.
func MergeRules(file []byte, base, others State, first bool) (result []byte, merged State, counts Tally, unfit int) {
	if first {
		base = Joined(base, others)
	}
	known, have := base.Values(Rule), make(map[string]string)
	fits := func(rule string) bool { return Key{Rule, rule}.Accepts("+") }
	for _, rule := range score.Split(file) {
		if fits(rule) {
			have[rule] = "+"
		} else {
			unfit++
		}
	}
	mine := Joined(base)
	mine.setAll(Rule, have, 0, first || len(file) == 0 && len(known) > 1)
	merged = Joined(mine, others)
	want := merged.Values(Rule)
	counts.addChanges("rule", have, want, known, mine.Values(Rule))
	counts = append(counts, bothKept(known, have, others.Values(Rule), want)...)
	fresh := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(rule string) bool { return have[rule] != "" })
	return score.Merge(file, func(rule string) bool { return want[rule] != "" || !fits(rule) }, fresh), merged, counts, unfit
}

// bothKept names the sections of rules that gave way to one rule here, and to another one
// on other machines.
func bothKept(known, here, there, merged map[string]string) (texts []string) {
	for old := range known {
		section := old[:strings.IndexByte(old, '\n')+1]
		onlyHere, onlyThere := false, false
		for rule := range merged {
			if strings.HasPrefix(rule, section) && known[rule] == "" {
				onlyHere, onlyThere = onlyHere || there[rule] == "", onlyThere || here[rule] == ""
			}
		}
		if here[old] == "" && there[old] == "" && onlyHere && onlyThere {
			texts = append(texts, "a rule for "+strings.TrimSpace(section)+" was changed here and there, both are kept")
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Tally is what was merged, in words.
type Tally []string

// Add counts changes that were made on other machines, and on this one.
func (t *Tally) Add(noun, verb string, there, here int) {
	switch {
	case there > 0 && here > 0:
		*t = append(*t, fmt.Sprintf("%s %s there, %d here", english.Plural(there, noun, ""), verb, here))
	case there > 0:
		*t = append(*t, english.Plural(there, noun, "")+" "+verb+" there")
	case here > 0:
		*t = append(*t, english.Plural(here, noun, "")+" "+verb+" here")
	}
}

// addChanges counts the differences of a file from what it becomes, and of the last common
// state from the file.
func (t *Tally) addChanges(noun string, have, merged, base, mine map[string]string) {
	addedThere, changedThere, removedThere := differences(have, merged)
	added, changed, removed := differences(base, mine)
	t.Add(noun, "added", addedThere, added)
	t.Add(noun, "changed", changedThere, changed)
	t.Add(noun, "removed", removedThere, removed)
}

func differences(from, to map[string]string) (added, changed, removed int) {
	for key, value := range to {
		if from[key] == "" {
			added++
		} else if from[key] != value {
			changed++
		}
	}
	for key := range from {
		if to[key] == "" {
			removed++
		}
	}
	return added, changed, removed
}

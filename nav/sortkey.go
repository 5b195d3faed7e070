package nav

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// sortKey is the sort key of an item of a list, small and without pointers. Keys are compared by
// rank, then by the field first, then by the field second.
type sortKey struct {
	first, second uint64
	item          uint32
	rank          int32
}

// sortKeys sorts keys. The function compare compares two items whose keys are equal.
func sortKeys(keys []sortKey, compare func(a, b uint32) int) {
	slices.SortFunc(keys, func(a, b sortKey) int {
		switch {
		case a.rank != b.rank:
			return cmp.Compare(a.rank, b.rank)
		case a.first != b.first:
			return cmp.Compare(a.first, b.first)
		case a.second != b.second:
			return cmp.Compare(a.second, b.second)
		}
		return compare(a.item, b.item)
	})
}

// keysOf returns the keys of the entries, sorted in the order o. The greatest number or the latest date
// comes first, or last if o is reversed.
func (o Order) keysOf(entries []entry) []sortKey {
	textual := slices.ContainsFunc(entries, func(e entry) bool { return e.text != "" })
	same := commonPrefixLen(len(entries), func(i int) string {
		if textual {
			return entries[i].text
		}
		return entries[i].name
	})
	keys := make([]sortKey, len(entries))
	for i := range entries {
		e := &entries[i]
		keys[i] = sortKey{item: uint32(i), rank: e.rank}
		if k := &keys[i]; textual {
			k.setText(e.text, same, o.Reversed)
		} else {
			k.setNumber(e.number, o.Reversed)
			k.second = prefixOf(e.name, same)
		}
	}
	sortKeys(keys, func(a, b uint32) int {
		x, y := &entries[a], &entries[b]
		return cmp.Or(compareText(x.text, y.text, o.Reversed), strings.Compare(x.name, y.name), cmp.Compare(a, b))
	})
	return keys
}

// setNumber sets the first part of the key to n. Keys with greater numbers come earlier, or later if
// reversed is set.
func (k *sortKey) setNumber(n int64, reversed bool) {
	if k.first = ^(uint64(n) ^ 1<<63); reversed {
		k.first = ^k.first
	}
}

// setText skips the first n octets of s, which all texts have in common, and sets both parts of the
// key to the octets that follow.
func (k *sortKey) setText(s string, n int, reversed bool) {
	if k.first, k.second = prefixOf(s, n), prefixOf(s, n+8); reversed {
		k.first, k.second = ^k.first, ^k.second
	}
}

func compareText(a, b string, reversed bool) int {
	if reversed {
		a, b = b, a
	}
	return strings.Compare(a, b)
}

// prefixOf returns the eight octets of s from index start on as a number.
func prefixOf(s string, start int) uint64 {
	var b [8]byte
	copy(b[:], s[min(start, len(s)):])
	return binary.BigEndian.Uint64(b[:])
}

// commonPrefixLen returns the length of the common prefix of n texts. It ignores empty texts.
func commonPrefixLen(n int, text func(i int) string) int {
	same := ""
	for i := range n {
		if s := text(i); same == "" {
			same = s
		} else if s != "" {
			if same = same[:commonPrefix(same, s)]; same == "" {
				return 0
			}
		}
	}
	return len(same)
}

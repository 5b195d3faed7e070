package newsrc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Range is a range of numbers, from First to Last inclusive.
type Range struct{ First, Last uint64 }

// Numbers is a set of article numbers. Its ranges are in ascending order, and neither overlap nor
// touch. The results of its methods share no memory with it.
type Numbers []Range

// MarshalText returns the text of [Numbers.String].
func (n Numbers) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads the text of [Numbers.String].
func (n *Numbers) UnmarshalText(text []byte) error {
	all, rest := parseNumbers(string(text))
	if len(rest) > 0 {
		return fmt.Errorf("article numbers: %q", rest[0])
	}
	*n = all
	return nil
}

// parseNumbers parses "1-5,7". The result rest has the parts that are not ranges.
func parseNumbers(s string) (n Numbers, rest []string) {
	var all []Range
	for part := range strings.SplitSeq(s, ",") {
		r, ok := parseRange(strings.TrimSpace(part))
		switch {
		case ok:
			all = append(all, r)
		case strings.TrimSpace(part) != "":
			rest = append(rest, strings.TrimSpace(part))
		}
	}
	return union(all), rest
}

func parseRange(s string) (Range, bool) {
	first, last, isRange := strings.Cut(s, "-")
	from, err := strconv.ParseUint(first, 10, 63)
	to := from
	if err == nil && isRange {
		to, err = strconv.ParseUint(last, 10, 63)
	}
	return Range{from, to}, err == nil && from <= to
}

// union sorts ranges in place, and joins ranges that overlap or touch. It drops numbers that are too
// large for a file.
func union(ranges []Range) Numbers {
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	n := Numbers(ranges[:0])
	for _, r := range ranges {
		if r.Last = min(r.Last, math.MaxInt64); r.First > r.Last {
			continue
		}
		if k := len(n) - 1; k >= 0 && (r.First <= n[k].Last || r.First-1 == n[k].Last) {
			n[k].Last = max(n[k].Last, r.Last)
			continue
		}
		n = append(n, r)
	}
	return n
}

// String returns the numbers in the form "1-5,7".
func (n Numbers) String() string {
	var b []byte
	for i, r := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, r.First, 10)
		if r.Last > r.First {
			b = strconv.AppendUint(append(b, '-'), r.Last, 10)
		}
	}
	return string(b)
}

// Has reports whether x is among the numbers.
func (n Numbers) Has(x uint64) bool { return n.Missing(x) != x }

// Last returns the highest number, or 0 if there is none.
func (n Numbers) Last() uint64 {
	if len(n) == 0 {
		return 0
	}
	return n[len(n)-1].Last
}

// Next returns the lowest of the numbers that is at least x, or x if there is none.
func (n Numbers) Next(x uint64) uint64 {
	i := sort.Search(len(n), func(i int) bool { return n[i].Last >= x })
	if i == len(n) {
		return x
	}
	return max(x, n[i].First)
}

// Missing returns the lowest number that is at least x and not among the numbers.
func (n Numbers) Missing(x uint64) uint64 {
	i := sort.Search(len(n), func(i int) bool { return n[i].Last >= x })
	if i < len(n) && n[i].First <= x {
		return n[i].Last + 1
	}
	return x
}

// Union returns the union of n and m.
func (n Numbers) Union(m Numbers) Numbers { return union(slices.Concat(n, m)) }

// Subtract returns the numbers of n that are not in m.
func (n Numbers) Subtract(m Numbers) Numbers {
	var kept Numbers
	for _, r := range n {
		left := true
		for i := sort.Search(len(m), func(i int) bool { return m[i].Last >= r.First }); i < len(m) && m[i].First <= r.Last; i++ {
			if m[i].First > r.First {
				kept = append(kept, Range{r.First, m[i].First - 1})
			}
			if left = m[i].Last < r.Last; !left {
				break
			}
			r.First = m[i].Last + 1
		}
		if left {
			kept = append(kept, r)
		}
	}
	return kept
}

// Count returns how many of the numbers are between first and last, inclusive.
func (n Numbers) Count(first, last uint64) (count uint64) {
	for i := sort.Search(len(n), func(i int) bool { return n[i].Last >= first }); i < len(n) && n[i].First <= last; i++ {
		count += min(n[i].Last, last) - max(n[i].First, first) + 1
	}
	return count
}

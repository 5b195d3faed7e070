package protocols

import "strings"

// maxReplyMarks is the maximal number of reply marks that are removed from a subject.
const maxReplyMarks = 64

// BaseSubject returns subject without reply marks and without a former subject at the end, "(was: ...)". A
// reply mark is "Re:" or its translation, perhaps with a count, "Re[2]:". The result reply reports whether
// the subject has a reply mark.
func BaseSubject(subject string) (base string, reply bool) {
	base = strings.TrimSpace(subject)
	for range maxReplyMarks {
		n := replyMarkLen(base)
		if n == 0 {
			break
		}
		base, reply = strings.TrimLeft(base[n:], " \t"), true
	}
	if i := findOpeningParenthesis(base); i > 0 && len(base) > i+5 && strings.EqualFold(base[i:i+4], "(was") && (base[i+4] == ':' || base[i+4] == ' ') {
		base = strings.TrimRight(base[:i], " \t")
	}
	return base, reply
}

// findOpeningParenthesis returns the index of the "(" that matches the ")" at the end of s, or 0. If s does
// not end in a parenthesis, it returns the last index of s.
func findOpeningParenthesis(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return 0
}

// replyMarkLen returns the length of the reply mark at the beginning of s, or 0.
func replyMarkLen(s string) int {
	i := strings.IndexAny(s[:min(len(s), 12)], ":[(^ ")
	if i < 2 {
		return 0
	}
	switch strings.ToLower(s[:i]) {
	case "re", "aw", "sv", "vs", "antw", "odp", "vá", "rif", "ref", "res", "ynt", "bls", "atb", "απ":
	default:
		return 0
	}
	rest := s[i:]
	if open := strings.IndexByte("[(^", rest[0]); open >= 0 {
		digits := strings.TrimLeft(rest[1:], "0123456789")
		if len(digits) == len(rest)-1 {
			return 0
		}
		rest = strings.TrimLeft(digits, ")]")
	}
	if rest = strings.TrimLeft(rest, " "); rest == "" || rest[0] != ':' {
		return 0
	}
	return len(s) - len(rest) + 1
}

package demo

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nntpConn is a connection to an NNTPServer.
type nntpConn struct {
	server *NNTPServer
	spool  *nntpSpool
	w      *bufio.Writer
	group  *nntpGroup
}

func (r *nntpConn) printLine(format string, args ...any) { fmt.Fprintf(r.w, format+"\r\n", args...) }

// printList writes a multi-line answer: its status line and lines.
func (r *nntpConn) printList(status string, lines []string) {
	r.printLine("%s", status)
	r.printLines(lines)
}

// printLines writes the lines of a multi-line answer and the final dot.
func (r *nntpConn) printLines(lines []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, ".") {
			line = "." + line
		}
		r.printLine("%s", line)
	}
	r.printLine(".")
}

// answer answers a command. It returns false after QUIT.
func (r *nntpConn) answer(command string) bool {
	f := strings.Fields(command)
	if len(f) == 0 {
		r.printLine("500 no command")
		return true
	}
	verb, args := strings.ToUpper(f[0]), f[1:]
	switch verb {
	case "QUIT":
		r.printLine("205 goodbye")
		return false
	case "CAPABILITIES":
		r.printList("101 capabilities", []string{"VERSION 2", "READER", "POST", "OVER", "HDR", "LIST ACTIVE NEWSGROUPS"})
	case "MODE":
		r.printLine("200 reader mode, posting is allowed")
	case "DATE":
		r.printLine("111 %s", time.Now().UTC().Format("20060102150405"))
	case "AUTHINFO":
		r.printLine("502 no login is needed")
	case "LIST":
		r.listGroups(args)
	case "GROUP":
		r.selectGroup(args)
	case "OVER", "XOVER":
		r.printOverview(args)
	case "HDR", "XHDR":
		r.printHeaders(verb, args)
	case "ARTICLE":
		r.printArticle(args)
	default:
		r.printLine("500 unknown command")
	}
	return true
}

func (r *nntpConn) listGroups(args []string) {
	what, pattern := "ACTIVE", "*"
	if len(args) > 0 {
		what = strings.ToUpper(args[0])
	}
	if len(args) > 1 {
		pattern = args[1]
	}
	var lines []string
	for _, g := range r.spool.groups {
		if !slices.ContainsFunc(strings.Split(pattern, ","), func(p string) bool { ok, _ := path.Match(p, g.name); return ok }) {
			continue
		}
		switch {
		case what == "ACTIVE":
			lines = append(lines, fmt.Sprintf("%s %d 1 y", g.name, len(g.articles)))
		case what == "NEWSGROUPS" && g.description != "":
			lines = append(lines, g.name+"\t"+g.description)
		}
	}
	switch what {
	case "ACTIVE", "NEWSGROUPS":
	default:
		r.printLine("501 unknown list")
		return
	}
	r.printList("215 list follows", lines)
}

func (r *nntpConn) selectGroup(args []string) {
	if len(args) == 0 || r.spool.byName[args[0]] == nil {
		r.printLine("411 no such group")
		return
	}
	r.group = r.spool.byName[args[0]]
	r.printLine("211 %d 1 %d %s", len(r.group.articles), len(r.group.articles), r.group.name)
}

// parseRange parses "n", "n-" or "n-m" and limits the range to the article numbers of the group. If
// arg is malformed the range is empty: last is smaller than first.
func (r *nntpConn) parseRange(arg string) (first, last int) {
	end := len(r.group.articles)
	from, to, isRange := strings.Cut(arg, "-")
	first, err := strconv.Atoi(from)
	switch {
	case err != nil:
		return 1, 0
	case !isRange:
		last = first
	case to == "":
		last = end
	default:
		if last, err = strconv.Atoi(to); err != nil {
			return 1, 0
		}
	}
	return max(first, 1), min(last, end)
}

// parseGroupRange returns the range of article numbers in the arguments of OVER or HDR. If there
// is no valid range it writes the error and returns false.
func (r *nntpConn) parseGroupRange(args []string) (first, last int, ok bool) {
	switch {
	case r.group == nil:
		r.printLine("412 no group is selected")
	case len(args) == 0 || strings.HasPrefix(args[0], "<"):
		r.printLine("503 only a range of numbers is supported")
	default:
		first, last = r.parseRange(args[0])
		if first <= last {
			return first, last, true
		}
		r.printLine("423 no articles in that range")
	}
	return 0, 0, false
}

func (r *nntpConn) printOverview(args []string) {
	first, last, ok := r.parseGroupRange(args)
	if !ok {
		return
	}
	var lines []string
	for n := first; n <= last; n++ {
		a := r.group.articles[n-1]
		lines = append(lines, strings.Join([]string{
			strconv.Itoa(n), a.field("Subject"), a.field("From"), a.field("Date"), a.id,
			a.field("References"), strconv.Itoa(a.bytes), strconv.Itoa(len(a.body)),
		}, "\t"))
	}
	r.printList("224 overview follows", lines)
}

func (r *nntpConn) printHeaders(verb string, args []string) {
	if len(args) == 0 {
		r.printLine("501 which header?")
		return
	}
	first, last, ok := r.parseGroupRange(args[1:])
	if !ok {
		return
	}
	var lines []string
	for n := first; n <= last; n++ {
		a := r.group.articles[n-1]
		value := a.field(args[0])
		lines = append(lines, strconv.Itoa(n)+" "+value)
	}
	r.printList(map[string]string{"HDR": "225", "XHDR": "221"}[verb]+" headers follow", lines)
}

func (r *nntpConn) printArticle(args []string) {
	n, a := 0, (*nntpArticle)(nil)
	switch {
	case len(args) == 0:
		r.printLine("501 which article?")
		return
	case strings.HasPrefix(args[0], "<"):
		if a = r.spool.byID[args[0]]; a == nil {
			r.printLine("430 no such article")
			return
		}
	case r.group == nil:
		r.printLine("412 no group is selected")
		return
	default:
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil {
			r.printLine("501 neither a number nor a Message-ID")
			return
		}
		if n < 1 || n > len(r.group.articles) {
			r.printLine("423 no article of that number")
			return
		}
		a = r.group.articles[n-1]
	}
	r.printList(fmt.Sprintf("220 %d %s", n, a.id), slices.Concat(a.head, []string{""}, a.body))
}

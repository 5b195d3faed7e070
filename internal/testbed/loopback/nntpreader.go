package loopback

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nntpReader is one connection to an NNTPServer.
type nntpReader struct {
	server *NNTPServer
	spool  *nntpSpool
	w      *bufio.Writer
	group  *nntpGroup
}

func (r *nntpReader) say(format string, args ...any) { fmt.Fprintf(r.w, format+"\r\n", args...) }

// list answers with several lines.
func (r *nntpReader) list(answer string, lines []string) {
	r.say("%s", answer)
	r.text(lines)
}

// text writes the lines of a multi-line answer and its final dot.
func (r *nntpReader) text(lines []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, ".") {
			line = "." + line
		}
		r.say("%s", line)
	}
	r.say(".")
}

// answer answers one command and returns false when it was the last.
func (r *nntpReader) answer(command string) bool {
	f := strings.Fields(command)
	if len(f) == 0 {
		r.say("500 no command")
		return true
	}
	verb, args := strings.ToUpper(f[0]), f[1:]
	switch verb {
	case "QUIT":
		r.say("205 goodbye")
		return false
	case "CAPABILITIES":
		r.list("101 capabilities", []string{"VERSION 2", "READER", "POST", "OVER", "HDR", "LIST ACTIVE NEWSGROUPS"})
	case "MODE":
		r.say("200 reader mode, posting is allowed")
	case "DATE":
		r.say("111 %s", time.Now().UTC().Format("20060102150405"))
	case "AUTHINFO":
		r.say("502 no login is wanted")
	case "LIST":
		r.listGroups(args)
	case "GROUP":
		r.enter(args)
	case "OVER", "XOVER":
		r.over(args)
	case "HDR", "XHDR":
		r.hdr(verb, args)
	case "ARTICLE":
		r.article(args)
	default:
		r.say("500 unknown command")
	}
	return true
}

func (r *nntpReader) listGroups(args []string) {
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
		r.say("501 unknown list")
		return
	}
	r.list("215 list follows", lines)
}

func (r *nntpReader) enter(args []string) {
	if len(args) == 0 || r.spool.byName[args[0]] == nil {
		r.say("411 no such group")
		return
	}
	r.group = r.spool.byName[args[0]]
	r.say("211 %d 1 %d %s", len(r.group.articles), len(r.group.articles), r.group.name)
}

// span reads "n", "n-" or "n-m" and cuts it to the numbers of the group.
func (r *nntpReader) span(arg string) (first, last int) {
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

// inGroup answers the refusals that OVER and HDR share.
func (r *nntpReader) inGroup(args []string) (first, last int, ok bool) {
	switch {
	case r.group == nil:
		r.say("412 no group is selected")
	case len(args) == 0 || strings.HasPrefix(args[0], "<"):
		r.say("503 by a range of numbers only")
	default:
		first, last = r.span(args[0])
		if first <= last {
			return first, last, true
		}
		r.say("423 no articles in that range")
	}
	return 0, 0, false
}

func (r *nntpReader) over(args []string) {
	first, last, ok := r.inGroup(args)
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
	r.list("224 overview follows", lines)
}

func (r *nntpReader) hdr(verb string, args []string) {
	if len(args) == 0 {
		r.say("501 which header?")
		return
	}
	first, last, ok := r.inGroup(args[1:])
	if !ok {
		return
	}
	var lines []string
	for n := first; n <= last; n++ {
		a := r.group.articles[n-1]
		value := a.field(args[0])
		lines = append(lines, strconv.Itoa(n)+" "+value)
	}
	r.list(map[string]string{"HDR": "225", "XHDR": "221"}[verb]+" headers follow", lines)
}

func (r *nntpReader) article(args []string) {
	n, a := 0, (*nntpArticle)(nil)
	switch {
	case len(args) == 0:
		r.say("501 which article?")
		return
	case strings.HasPrefix(args[0], "<"):
		if a = r.spool.byID[args[0]]; a == nil {
			r.say("430 no such article")
			return
		}
	case r.group == nil:
		r.say("412 no group is selected")
		return
	default:
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil {
			r.say("501 neither a number nor a Message-ID")
			return
		}
		if n < 1 || n > len(r.group.articles) {
			r.say("423 no article of that number")
			return
		}
		a = r.group.articles[n-1]
	}
	r.list(fmt.Sprintf("220 %d %s", n, a.id), slices.Concat(a.head, []string{""}, a.body))
}

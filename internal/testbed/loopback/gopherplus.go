package loopback

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// The Gopher+ menu of a GopherServer, and the bounds of a form that is sent to it.
const (
	plusMenu     = "/plus"
	maxFormBytes = 1 << 20
)

// plusItem is an item of the Gopher+ menu. Its first view is the one that a plain
// request gets.
type plusItem struct {
	typ            byte
	name, selector string
	abstract       string
	views          []plusView
	ask            []string
	failure        string // in place of the item
	headerless     bool   // it ignores a "+" in the request, as the original server's gateways do
}

// plusView is a representation of an item: its media type and language.
type plusView struct{ name, text string }

const plusAdmin = "The keeper of the hole <keeper@example.invalid>"

func plusItems() []plusItem {
	return []plusItem{
		{
			typ: '0', name: "About Gopher+", selector: "/plus/about", abstract: "What Gopher+ adds to Gopher.\nIn three views.",
			views: []plusView{
				{"text/plain En_US", "Gopher+ tells more of an item: who keeps it, when it changed, what it is about,\r\nand in which views it can be had.\r\n.\r\nThe line above has a single dot: octets are exact here.\r\n"},
				{"text/plain De_DE", "Gopher+ erz\xc3\xa4hlt mehr \xc3\xbcber einen Eintrag.\r\n"},
				{"text/html En_US", "<title>Gopher+</title><p>Gopher+ tells more of an item.\r\n"},
			},
		},
		{
			typ: '0', name: "A survey", selector: "/plus/survey", abstract: "A form with one of each question.",
			ask: []string{
				"Note: A survey of the readers of this hole.", "Ask: Your name:\tJohn Doe", "AskP: A password for nothing:", "AskL: What do you think of it?",
				"Select: Write to me:1", "Select: Tell nobody:0", "Choose: A colour:\tRed\tGreen\tBlue", "AskF: Where to keep the answer:\tanswer.txt", "Thank you.",
			},
		},
		{typ: '0', name: "Send a file", selector: "/plus/upload", abstract: "Tells how large the file was. It is not kept.", ask: []string{"ChooseF: A file to send:", "Ask: What it is:"}},
		{
			typ: '0', name: "A survey in Latin-1: Gr\xf6\xdfe", selector: "/plus/latin1", abstract: "Its texts and its answers are octets of ISO 8859-1.",
			ask: []string{"Ask: Gr\xf6\xdfe:\t\xdcber zwei Meter", "AskL: Gr\xfc\xdfe:\tSch\xf6ne\tGr\xfc\xdfe", "AskF: Name der Datei:\t\xdcber.txt", "Choose: Farbe:\tRot\tGr\xfcn"},
		},
		{
			typ: '0', name: "A file of another server", selector: "/plus/ftp:x@/r", abstract: "The gateway that fetches it does not speak Gopher+.",
			headerless: true, views: []plusView{{"text/plain", "r\r\n"}},
		},
		{typ: '0', name: "An item that has moved", selector: "/plus/moved", failure: "3"},
		{typ: '0', name: "An item that is not available", selector: "/plus/gone", failure: "1"},
		{typ: '0', name: "An item for later", selector: "/plus/later", failure: "2"},
		{typ: '7', name: "Search this menu", selector: "/plus/search", abstract: "The answer has the attributes of all that is found."},
	}
}

// info is the item as a menu has it.
func (i plusItem) info(own string) string {
	mark := "+"
	if i.ask != nil {
		mark = "?"
	}
	return string(i.typ) + i.name + "\t" + i.selector + strings.TrimSuffix(own, "\r\n") + "\t" + mark + "\r\n"
}

// attributes returns all attributes of an item.
func (i plusItem) attributes(own string) string {
	var b strings.Builder
	b.WriteString("+INFO: " + i.info(own))
	b.WriteString("+ADMIN:\r\n Admin: " + plusAdmin + "\r\n Mod-Date: " + worldDate.Format("Mon Jan _2 15:04:05 2006") + " <" + worldDate.Format("20060102150405") + ">\r\n TTL: 86400\r\n")
	if len(i.views) > 0 {
		b.WriteString("+VIEWS:\r\n")
		for _, v := range i.views {
			fmt.Fprintf(&b, " %s: <%.1fk>\r\n", v.name, max(float64(len(v.text))/1024, 0.1))
		}
	}
	for _, block := range []struct {
		name  string
		lines []string
	}{{"ABSTRACT", strings.Split(i.abstract, "\n")}, {"ASK", i.ask}, {"KEYWORDS", []string{"demo, gopher+"}}} {
		if len(block.lines) > 0 && block.lines[0] != "" {
			b.WriteString("+" + block.name + ":\r\n " + strings.Join(block.lines, "\r\n ") + "\r\n")
		}
	}
	return b.String()
}

// plus answers a request for the Gopher+ menu or one of its items. A form after
// the request line is read from r.
func (s *GopherServer) plus(w *bufio.Writer, r *bufio.Reader, request string) {
	host, port, _ := net.SplitHostPort(s.Addr())
	own := "\t" + host + "\t" + port + "\r\n"
	fields := strings.Split(request, "\t")
	words, what, flag := "", "", ""
	for _, f := range fields[1:] {
		switch {
		case what != "":
			flag = f
		case f != "" && strings.ContainsAny(f[:1], "+!$"):
			what = f
		default:
			words = f
		}
	}
	if fields[0] == plusMenu {
		s.plusMenu(w, what, own)
		return
	}
	for _, i := range plusItems() {
		if i.selector == fields[0] {
			i.answer(w, r, what, flag, words, own)
			return
		}
	}
	gopherError(w, "'"+fields[0]+"' does not exist")
}

func (s *GopherServer) plusMenu(w *bufio.Writer, what, own string) {
	var b strings.Builder
	if what != "$" && what != "!" {
		b.WriteString("iThe items of this menu speak Gopher+.\tfake\t(NULL)\t0\r\n")
	}
	for _, i := range plusItems() {
		switch what {
		case "$":
			b.WriteString(i.attributes(own))
		case "!":
		default:
			b.WriteString(i.info(own))
		}
	}
	if what == "!" {
		b.WriteString(plusItem{typ: '1', name: "Gopher+", selector: plusMenu, abstract: "A menu to try Gopher+ with."}.attributes(own))
	}
	plusText(w, what, b.String())
}

// plusText sends what ends in a line with a single dot, with a header if it was
// asked for in Gopher+.
func plusText(w *bufio.Writer, what, text string) {
	if what != "" {
		_, _ = w.WriteString("+-1\r\n")
	}
	_, _ = w.WriteString(text + ".\r\n")
}

func (i plusItem) answer(w *bufio.Writer, r *bufio.Reader, what, flag, words, own string) {
	if i.headerless && what == "+" {
		what = ""
	}
	switch {
	case i.failure != "" && what != "!":
		_, _ = w.WriteString("--1\r\n" + i.failure + " " + plusAdmin + "\r\n" + map[string]string{
			"1": "It was here yesterday.\r\n", "2": "Try again later.\r\n", "3": "It is here now:\r\n" + plusItems()[0].info(own),
		}[i.failure] + ".\r\n")
	case what == "!":
		plusText(w, what, i.attributes(own))
	case i.typ == '7':
		var b strings.Builder
		for _, found := range plusItems() {
			switch {
			case !strings.Contains(lower(found.name+found.abstract), lower(words)):
			case what == "":
				b.WriteString(found.info(own))
			default:
				b.WriteString(found.attributes(own))
			}
		}
		plusText(w, what, b.String())
	case i.ask != nil:
		plusText(w, what, i.filled(r, flag))
	default:
		i.view(w, strings.TrimPrefix(what, "+"), what)
	}
}

// lower returns s with its ASCII letters in lower case, whatever its charset.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// view sends a view of the item, to a Gopher+ client unchanged.
func (i plusItem) view(w *bufio.Writer, name, what string) {
	v := i.views[0]
	for _, other := range i.views {
		if media, _, _ := strings.Cut(other.name, " "); name != "" && (name == other.name || name == media) {
			v = other
			break
		}
	}
	if what == "" {
		sendText(w, v.text)
		return
	}
	_, _ = w.WriteString("+" + strconv.Itoa(len(v.text)) + "\r\n" + v.text)
}

// filled returns the answer to a form.
func (i plusItem) filled(r *bufio.Reader, flag string) string {
	if flag != "1" {
		return "This item has a form: ask for its attributes.\r\n"
	}
	head, err := r.ReadString('\n')
	if err != nil {
		return "The form has no header.\r\n"
	}
	n, err := strconv.ParseInt(strings.TrimRight(strings.TrimPrefix(head, "+"), "\r\n"), 10, 64)
	if err != nil || n > maxFormBytes {
		return "The form is too large, or its header is none.\r\n"
	}
	var lines []string
	for n != 0 {
		line, err := r.ReadString('\n')
		if n > 0 {
			n -= int64(len(line))
		} else if strings.TrimRight(line, "\r\n") == "." {
			break
		}
		if line = strings.TrimRight(line, "\r\n"); line != "" || err == nil {
			lines = append(lines, line)
		}
		if err != nil || len(lines) > 1000 || n > 0 && i.selector == "/plus/upload" {
			break
		}
	}
	var b strings.Builder
	b.WriteString("Thank you. The server got these lines:\r\n")
	for k, l := range lines {
		if len(i.ask) > k+1 && strings.HasPrefix(i.ask[k+1], "AskP:") {
			l = "(a password of " + strconv.Itoa(len(l)) + " octets)"
		}
		b.WriteString("> " + l + "\r\n")
	}
	if n > 0 {
		got, _ := io.CopyN(io.Discard, r, n)
		fmt.Fprintf(&b, "and a file of %d octets.\r\n", got)
	}
	return b.String()
}

package demo

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
)

// The selector of the Gopher+ menu of a GopherServer, and the maximum size of a submitted form.
const (
	plusMenu     = "/plus"
	maxFormBytes = 1 << 20
)

// plusItem is an item of the Gopher+ menu. A request that names no view gets the first view.
type plusItem struct {
	typ            byte
	name, selector string
	abstract       string
	views          []plusView
	ask            []string
	failure        string // error code sent in place of the item
	headerless     bool   // ignores a "+" in the request, as the gateways of gopherd do
}

// plusView is a representation of an item. Its name is a media type, mostly with a language.
type plusView struct{ name, text string }

const plusAdmin = "The keeper of the hole <keeper@example.invalid>"

func plusItems() []plusItem {
	return []plusItem{
		{
			typ: '0', name: "About Gopher+", selector: "/plus/about", abstract: "What Gopher+ adds to Gopher.\nIn three views.",
			views: []plusView{
				{"text/plain En_US", "Gopher+ describes an item: its owner, its date, its subject,\r\nand the views in which it is available.\r\n.\r\nThe line above has a single dot: octets are exact here.\r\n"},
				{"text/plain De_DE", "Gopher+ erz\xc3\xa4hlt mehr \xc3\xbcber einen Eintrag.\r\n"},
				{"text/html En_US", "<title>Gopher+</title><p>Gopher+ describes an item.\r\n"},
			},
		},
		{
			typ: '0', name: "A survey", selector: "/plus/survey", abstract: "A form with one of each question.",
			ask: []string{
				"Note: A survey of the readers of this hole.", "Ask: Your name:\tJohn Doe", "AskP: A password for nothing:", "AskL: What do you think of it?",
				"Select: Write to me:1", "Select: Tell nobody:0", "Choose: A color:\tRed\tGreen\tBlue", "AskF: Where to keep the answer:\tanswer.txt", "Thank you.",
			},
		},
		{typ: '0', name: "Send a file", selector: "/plus/upload", abstract: "Reports the size of the file, which is not kept.", ask: []string{"ChooseF: A file to send:", "Ask: What it is:"}},
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

// infoLine returns the menu line of the item.
func (i plusItem) infoLine(hostPort string) string {
	mark := "+"
	if i.ask != nil {
		mark = "?"
	}
	return string(i.typ) + i.name + "\t" + i.selector + strings.TrimSuffix(hostPort, "\r\n") + "\t" + mark + "\r\n"
}

// attributes returns all attribute blocks of the item.
func (i plusItem) attributes(hostPort string) string {
	var b strings.Builder
	b.WriteString("+INFO: " + i.infoLine(hostPort))
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

// answerPlus answers a request for the Gopher+ menu or one of its items. If a form follows the
// request line, answerPlus reads the form from r.
func (s *GopherServer) answerPlus(w *bufio.Writer, r *bufio.Reader, request string) {
	host, port, _ := net.SplitHostPort(s.Addr())
	hostPort := "\t" + host + "\t" + port + "\r\n"
	fields := strings.Split(request, "\t")
	words, plusString, flag := "", "", ""
	for _, f := range fields[1:] {
		switch {
		case plusString != "":
			flag = f
		case f != "" && strings.ContainsAny(f[:1], "+!$"):
			plusString = f
		default:
			words = f
		}
	}
	if fields[0] == plusMenu {
		s.sendPlusMenu(w, plusString, hostPort)
		return
	}
	for _, i := range plusItems() {
		if i.selector == fields[0] {
			i.send(w, r, plusString, flag, words, hostPort)
			return
		}
	}
	gopherError(w, "'"+fields[0]+"' does not exist")
}

// attributeRequest returns '!' if a Gopher+ string asks for the attributes of the item, '$' if it asks for those of
// all items of the menu, and otherwise 0 (RFC 1738, section 3.4.6).
func attributeRequest(plusString string) byte {
	if plusString != "" && strings.IndexByte("!$", plusString[0]) >= 0 {
		return plusString[0]
	}
	return 0
}

// chooseBlocks returns the attribute blocks that a Gopher+ string such as "!+ABSTRACT +ADMIN" names, or all blocks
// if it names none (RFC 1738, section 3.4.7). For "$" the block INFO is always there, because it begins an item.
func chooseBlocks(blocks, plusString string) string {
	names := strings.FieldsFunc(plusString[1:], func(r rune) bool { return r == '+' || r == ' ' })
	if len(names) == 0 {
		return blocks
	}
	if plusString[0] == '$' {
		names = append(names, "INFO")
	}
	var b strings.Builder
	chosen := false
	for line := range strings.Lines(blocks) {
		if name, ok := strings.CutPrefix(line, "+"); ok {
			name, _, _ = strings.Cut(name, ":")
			chosen = slices.Contains(names, name)
		}
		if chosen {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (s *GopherServer) sendPlusMenu(w *bufio.Writer, plusString, hostPort string) {
	var b strings.Builder
	kind := attributeRequest(plusString)
	if kind == 0 {
		b.WriteString("iThe items of this menu speak Gopher+.\tfake\t(NULL)\t0\r\n")
	}
	for _, i := range plusItems() {
		switch kind {
		case '$':
			b.WriteString(chooseBlocks(i.attributes(hostPort), plusString))
		case '!':
		default:
			b.WriteString(i.infoLine(hostPort))
		}
	}
	if kind == '!' {
		menu := plusItem{typ: '1', name: "Gopher+", selector: plusMenu, abstract: "A menu to try Gopher+ with."}
		b.WriteString(chooseBlocks(menu.attributes(hostPort), plusString))
	}
	sendPlusText(w, plusString, b.String())
}

// sendPlusText sends text and a final line with a single dot. If plusString is not empty the
// request is a Gopher+ request, and a header precedes the text.
func sendPlusText(w *bufio.Writer, plusString, text string) {
	if plusString != "" {
		_, _ = w.WriteString("+-1\r\n")
	}
	_, _ = w.WriteString(text + ".\r\n")
}

func (i plusItem) send(w *bufio.Writer, r *bufio.Reader, plusString, flag, words, hostPort string) {
	if i.headerless && plusString == "+" {
		plusString = ""
	}
	switch {
	case i.failure != "" && attributeRequest(plusString) != '!':
		_, _ = w.WriteString("--1\r\n" + i.failure + " " + plusAdmin + "\r\n" + map[string]string{
			"1": "It was here yesterday.\r\n", "2": "Try again later.\r\n", "3": "It is here now:\r\n" + plusItems()[0].infoLine(hostPort),
		}[i.failure] + ".\r\n")
	case attributeRequest(plusString) != 0:
		sendPlusText(w, plusString, chooseBlocks(i.attributes(hostPort), plusString))
	case i.typ == '7':
		var b strings.Builder
		for _, found := range plusItems() {
			switch {
			case !strings.Contains(lowerASCII(found.name+found.abstract), lowerASCII(words)):
			case plusString == "":
				b.WriteString(found.infoLine(hostPort))
			default:
				b.WriteString(found.attributes(hostPort))
			}
		}
		sendPlusText(w, plusString, b.String())
	case i.ask != nil:
		sendPlusText(w, plusString, i.answerForm(r, flag))
	default:
		i.sendView(w, strings.TrimPrefix(plusString, "+"), plusString)
	}
}

// lowerASCII returns s with its ASCII letters in lower case. It leaves other octets unchanged,
// whatever their charset is.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// sendView sends the view called name, or else the first view. If plusString is empty the client
// does not support Gopher+, and the text has dot-stuffing.
func (i plusItem) sendView(w *bufio.Writer, name, plusString string) {
	v := i.views[0]
	for _, other := range i.views {
		if media, _, _ := strings.Cut(other.name, " "); name != "" && (name == other.name || name == media) {
			v = other
			break
		}
	}
	if plusString == "" {
		sendText(w, v.text)
		return
	}
	_, _ = w.WriteString("+" + strconv.Itoa(len(v.text)) + "\r\n" + v.text)
}

// answerForm reads a form and returns the answer to the form. It reads nothing if flag is not "1",
// because then no form follows the request.
func (i plusItem) answerForm(r *bufio.Reader, flag string) string {
	if flag != "1" {
		return "This item has a form: ask for its attributes.\r\n"
	}
	head, err := r.ReadString('\n')
	if err != nil {
		return "The form has no header.\r\n"
	}
	n, err := strconv.ParseInt(strings.TrimRight(strings.TrimPrefix(head, "+"), "\r\n"), 10, 64)
	if err != nil || n > maxFormBytes {
		return "The form is too large, or its header is invalid.\r\n"
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

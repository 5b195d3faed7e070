package demo

import (
	"fmt"
	"io"
	"net"
	"strings"
)

// hardSelectors lists selectors that a client must send back unchanged.
var hardSelectors = []struct{ title, selector string }{
	{"Blanks, one and two", "/hard/with some  blanks"},
	{"A blank in front and one behind", " /hard/blank "},
	{"A question mark and an ampersand", "/hard/question?mark=1&x=2"},
	{"A number sign and a semicolon", "/hard/#hash;semi"},
	{"Percent signs that are no escapes, and some that look like it", "/hard/100%/%zz/%41"},
	{"No slash at the front, and a type that is none", "0/looks/like/a/type"},
	{"Two slashes, dots", "//hard/../hard/./x//"},
	{"UTF-8", "/hard/möwe/日本"},
	{"Latin-1: one octet, E9", "/hard/caf\xe9"},
	{"All of < > \" { } | \\ ^ ~ [ ] `", "/hard/<>\"{}|\\^~[]`"},
	{"An escape sequence", "/hard/\x1b[31mred\x1b[0m"},
	{"Other control characters", "/hard/\x01\x08\x0b\x7f"},
	{"What looks like a URL", "/hard/gopher://example.invalid/1"},
	{"GET / HTTP/1.0", "GET /hard HTTP/1.0"},
	{"Three hundred octets", "/hard/" + strings.Repeat("on and ", 42)},
}

// hardTitles lists titles that try to control the terminal.
var hardTitles = []string{
	"Red \x1b[31mred\x1b[0m, cleared \x1b[2J\x1b[H, bold \x1b[1m",
	"A window title \x1b]0;owned\x07 and a bell \x07",
	"The same with C1: \x9b31m \x9d0;owned\x9c, and as UTF-8: \u009b31m",
	"A link \x1b]8;;http://example.invalid/\x07click\x1b]8;;\x07",
	"The other direction: \u202egnp.exe\u202c",
	"Nothing \u200b\u200d\u2060\ufeff between, and com\u0301bi\u0308ni\u030ang marks",
	"Backspaces: safe\x08\x08\x08\x08evil, a carriage return\rXXXX",
	"Wide: ｗｉｄｅ 日本語 👩\u200d👩\u200d👧 ❤\ufe0f",
	"Long: " + strings.Repeat("word ", 400),
}

// addHardCases makes the Gopher server answer with texts that no file tree can contain.
func (w *World) addHardCases() {
	host, port, _ := net.SplitHostPort(w.Gopher.Addr())
	hostPort := "\t" + host + "\t" + port + "\r\n"
	info := func(s string) string { return "i" + s + "\tfake\t(NULL)\t0\r\n" }

	var menu strings.Builder
	menu.WriteString(info("Selectors that are easily damaged. Each leads to a text that") +
		info("shows what the server received.") + info(""))
	for _, c := range hardSelectors {
		menu.WriteString("0" + c.title + "\t" + c.selector + hostPort)
		w.Gopher.Handle(c.selector, answerWith(fmt.Sprintf("Yes. The server got this selector, octet for octet:\r\n\r\n  %+q\r\n.\r\n", c.selector)))
	}
	menu.WriteString(info("") + "1Titles that try to do something to your terminal\t/hard/titles" + hostPort +
		"1A menu with broken lines\t/hard/broken" + hostPort +
		"1A menu that ends in the middle\t/hard/short" + hostPort +
		"1A menu that is no menu\t/hard/text-as-menu" + hostPort +
		"0A text without its final dot\t/hard/nodot" + hostPort +
		"0A text with dots at the front of its lines\t/hard/dots" + hostPort +
		"0A text of one very long line\t/hard/longline" + hostPort +
		"0A text of no octets\t/hard/nothing" + hostPort +
		info("") + "1To the front door\t/" + hostPort + ".\r\n")
	w.Gopher.Handle("/hard", answerWith(menu.String()))

	var titles strings.Builder
	for _, t := range hardTitles {
		titles.WriteString("0" + t + "\t/hard/dots" + hostPort)
		titles.WriteString(info(t))
	}
	w.Gopher.Handle("/hard/titles", answerWith(titles.String()+".\r\n"))
	w.Gopher.Handle("/hard/broken", answerWith(
		"0A good line first\t/hard/dots"+hostPort+
			"0Only a title\r\n"+
			"0A title and a selector\t/hard/dots\r\n"+
			"0No port\t/hard/dots\t"+host+"\r\n"+
			"0A port that is no number\t/hard/dots\t"+host+"\tseventy\r\n"+
			"0A port too large\t/hard/dots\t"+host+"\t70070\r\n"+
			"0No host\t/hard/dots\t\t"+port+"\r\n"+
			"0A host that cannot be\t/hard/dots\tnot a host/at all\t70\r\n"+
			"0More fields than there should be\t/hard/dots\t"+host+"\t"+port+"\t+\textra\tfields\r\n"+
			"0A bare line feed at the end\t/hard/dots\t"+host+"\t"+port+"\n"+
			"\r\n"+
			"\t\t\t\r\n"+
			"\xffA type that is no ASCII\t/hard/dots"+hostPort+
			info(strings.Repeat("x", 20_000))+
			"0A good line at the end\t/hard/dots"+hostPort+".\r\n"))
	w.Gopher.Handle("/hard/short", answerWith("0A good line\t/hard/dots"+hostPort+"0A line that breaks of"))
	w.Gopher.Handle("/hard/text-as-menu", answerWith("This server forgot that it was asked for a menu.\r\nIt sends a text instead: two lines of it.\r\n"))
	w.Gopher.Handle("/hard/nodot", answerWith("This text ends with its connection.\r\nNo dot follows."))
	w.Gopher.Handle("/hard/dots", answerWith("....A line that begins with three dots came with four.\r\n..\r\nThe line above is one dot.\r\n.\r\n"))
	w.Gopher.Handle("/hard/longline", answerWith(strings.Repeat("All in one line, 200,000 octets long. ", 200_000/38)+"\r\n.\r\n"))
	w.Gopher.Handle("/hard/nothing", answerWith(""))
}

func answerWith(s string) func(net.Conn, string) {
	return func(c net.Conn, _ string) {
		if _, err := io.WriteString(idleWriter{c}, s); err == nil {
			drain(c)
		}
	}
}

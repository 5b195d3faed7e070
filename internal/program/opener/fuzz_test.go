package opener

import (
	"slices"
	"strings"
	"testing"
)

// FuzzMailcap parses mailcap files and expands their commands with a hostile file name. It checks that no
// shell reads the name: the name is a whole argument of a shell, or a part of one word of a command without a shell.
func FuzzMailcap(f *testing.F) {
	const name = "$(touch x);'\"`"
	f.Add("image/*; show '%s' \"%s\" %s; test=test -n \"$DISPLAY\"\n")
	f.Add("text/html; lynx -dump %{charset} \\\n %s | less; copiousoutput; nametemplate=%s.html\n# none\n")
	f.Add("a/b; echo \\%s %s%s; needsterminal\r\n")
	f.Add("a; x '%s; %t\"")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, name) {
			return
		}
		for _, e := range parseMailcap(text) {
			if !strings.Contains(e.media, "/") || e.command == "" {
				t.Errorf("parseMailcap(%q) has the entry %+v", text, e)
			}
			argv, _ := values{file: name, media: "a/b"}.expand(e.command)
			if len(argv) > 3 && argv[0] == "/bin/sh" && strings.Contains(argv[2], name) {
				t.Errorf("the command %q has the name in its script: %q", e.command, argv)
			}
			if slices.Contains(argv, "") && !strings.ContainsAny(e.command, "\"'%\\") {
				t.Errorf("the command %q has an empty argument: %q", e.command, argv)
			}
		}
	})
}

package cli

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/clean"
	urlexplain "gofer/internal/explain"
	"gofer/internal/urlbatch"
	"gofer/urlcore"
)

func (p *Program) parseCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "parse [URL...]",
		Short: "print the parts of URLs, decoded",
		Long: "parse prints the canonical text of each URL and its parts, one \"name: value\" on a\n" +
			"line: what the protocol is told, decoded and with the port filled in. What is not\n" +
			"there has no line; what is there and empty has one. A password is not shown.\n\n" +
			"With --json the objects have the keys of gofer url batch, all octets and the\n" +
			"password included.",
		Example: "  gofer url parse ftp://joe@ftp.example.org/%2Fetc/motd;type=a",
		RunE: func(_ *cobra.Command, args []string) error {
			r, first := p.urlRun(flags), true
			return r.each(args, false, func(input string) error {
				if r.json {
					a := urlAnswer{Input: input, Answer: urlbatch.Ask(r.question(input))}
					r.refused = r.refused || !a.OK
					return r.encode(a)
				}
				parsed, err := r.parser.Parse(input)
				if err != nil {
					return err
				}
				if !first {
					fmt.Fprintln(r.out)
				}
				first = false
				r.printParts(input, parsed.URL)
				return nil
			})
		},
	}
}

// partOrder are the parts that batch tells, in the order of the text.
var partOrder = [...]string{
	"scheme", "user", "password", "host", "port",
	"gtype", "selector_hex", "database", "search_hex", "plus_hex", "wtype", "wpath_hex",
	"cwds", "name", "type", "group", "article", "message_id", "address", "hsoname_hex", "fields",
	"path", "query", "opaque", "fragment",
}

// printParts prints the parts of u, which input was read as, for people.
func (r *urlRun) printParts(input string, u urlcore.URL) {
	a := urlbatch.Ask(r.question(input))
	fmt.Fprintf(r.out, "canonical: %s\n", urlexplain.Text(u))
	for _, key := range partOrder {
		switch v := a.Parts[key].(type) {
		case nil:
		case string:
			name, isHex := strings.CutSuffix(key, "_hex")
			octets := fromLatin1(v)
			if isHex {
				b, _ := hex.DecodeString(v)
				octets = string(b)
			}
			if key == "password" {
				octets = urlexplain.Mask
			}
			r.printPart(name, octets)
		case []string:
			for _, s := range v {
				r.printPart("cwd", fromLatin1(s))
			}
		case [][2]string:
			for _, f := range v {
				r.printPart("field", fromLatin1(f[0])+"="+fromLatin1(f[1]))
			}
		default:
			r.printPart(key, fmt.Sprint(v))
		}
	}
	for _, w := range a.Warnings {
		r.printPart("warning", w)
	}
}

func (r *urlRun) printPart(name, octets string) {
	fmt.Fprintln(r.out, strings.TrimRight(name+": "+clean.Line(octets), " "))
}

// fromLatin1 takes one octet from each character.
func fromLatin1(s string) string {
	b := make([]byte, 0, len(s))
	for _, c := range s {
		b = append(b, byte(c))
	}
	return string(b)
}

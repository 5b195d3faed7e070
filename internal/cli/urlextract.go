package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gofer/urlcore/batch"
)

// maxText is how much text is searched for URLs, in octets.
const maxText = 256 << 20

// foundURL is what extract writes with --json.
type foundURL struct {
	Start int `json:"start"` // where it stands in the text, in octets,
	End   int `json:"end"`   // its wrapper included
	batch.Link
	Warnings []string `json:"warnings"`
}

func (p *Program) extractCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "extract [FILE]",
		Short: "print the URLs that running text holds, one a line",
		Long: "extract finds the URLs in a file, or in all of standard input, and prints the\n" +
			"canonical text of each in their order. It takes \"<URL:...>\", which may be broken over\n" +
			"lines, \"URL:...\" and, but for --strict, bare URLs of the schemes it knows. What is\n" +
			"malformed is passed over.\n\n" +
			"With --json each object tells where the URL stands, its fragment, and the other\n" +
			"readings of one that was broken after a hyphen.",
		Example: "  gofer url extract rfc1738.txt",
		Args:    usage(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := p.readText(args)
			if err != nil {
				return err
			}
			r := p.urlRun(flags)
			for _, f := range r.parser.Extract(text) {
				if !r.json {
					fmt.Fprintln(r.out, f.URL)
					continue
				}
				o := foundURL{Start: f.Start, End: f.End, Warnings: f.Warnings.Names()}
				o.Canonical, o.Fragment = f.URL.String(), f.Fragment
				for _, a := range f.Alternatives {
					o.Alternatives = append(o.Alternatives, a.String())
				}
				if err := r.encode(o); err != nil {
					return err
				}
			}
			return r.out.Flush()
		},
	}
}

// readText reads the file args names, or standard input.
func (p *Program) readText(args []string) (string, error) {
	in := p.In
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err == nil && len(text) > maxText {
		err = errors.New("the text is too long: more than 256 MiB")
	}
	return string(text), err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/pages/dump"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) dumpCommand() *cobra.Command {
	format, charsetName, media, showHidden := "text", "auto", "", false
	var consents consentFlags
	unread, article := false, false
	cmd := &cobra.Command{
		Use:   "dump URL",
		Short: "print a page without the screen",
		Long: "dump fetches a page and prints it as it arrives. The URL - is standard input.\n\n" +
			"  text   the page as on the screen\n" +
			"  json   one JSON object a line: the head, then each line with its URL\n" +
			"         and attributes (size, date; of an attachment name and media type)\n" +
			"  links  the canonical URL of each item, one a line\n" +
			"  raw    the exact octets of a document. Of a list: what the servers sent for it.\n" +
			"         That is a Gopher menu, an FTP listing without the replies to commands, or\n" +
			"         all replies of a news server, in their order, with masked passwords.\n\n" +
			"On a terminal dump asks for the input that searches and forms need.\n" +
			"Text is UTF-8, or ASCII on a terminal whose locale (LC_ALL, LC_CTYPE or LANG) is\n" +
			"not UTF-8.",
		Args:              checkArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := dump.ParseFormat(format)
			if err != nil {
				return errors.Join(app.ErrUsage, err)
			}
			c, ok := charset.Parse(charsetName)
			if !ok {
				return errors.Join(app.ErrUsage, fmt.Errorf("unknown charset %q: use auto, %s", charsetName, strings.Join(charsetNames(), ", ")))
			}
			start, remove, err := p.readInput(cmd.Context(), args[0], media)
			defer remove()
			if err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.Close()
			if st.Offline || strings.HasPrefix(start, "about:") { // own pages tell what is kept
				st.KeepCopies(false)
			} else {
				st.ShowCopies()
			}
			return p.dump(cmd.Context(), st, start, dumpOptions{f, c, showHidden, unread, article, consents})
		},
	}
	consents.add(cmd)
	p.addTrustEnd(cmd)
	addTypeFlag(cmd, &media)
	cmd.Flags().BoolVar(&unread, "unread", false, "show only unread articles or groups (for newsgroups, news:* and about:news); mark nothing as read")
	cmd.Flags().BoolVar(&article, "article", false, "of a web page only its article: without navigation, banners and footers")
	cmd.Flags().StringVarP(&format, "format", "f", format, "text, json, links or raw")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(
		[]string{"text", "json", "links", "raw"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVarP(&showHidden, "all", "a", false, "also show hidden files, invisible links, killed articles and all results of a WAIS or Z39.50 search")
	cmd.Flags().StringVar(&charsetName, "charset", charsetName, "the `NAME` of the page's charset; auto detects it from the first lines")
	_ = cmd.RegisterFlagCompletionFunc("charset", cobra.FixedCompletions(charsetNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func charsetNames() []string { return app.MapSlice(charset.All(), charset.Charset.String) }

// dumpOptions says what dump prints. The zero value prints the page as on the screen.
type dumpOptions struct {
	format   dump.Format
	charset  charset.Charset
	hidden   bool // also hidden lines
	unread   bool // only unread articles and groups with such articles
	article  bool // only the article of a web page
	consents consentFlags
}

func (p *Program) dump(ctx context.Context, st *app.State, arg string, o dumpOptions) error {
	u, err := st.GuessArgument(pathToURL(arg))
	if err != nil {
		return err
	}
	readingOf := st.ReadingOf
	if o.charset != charset.Auto {
		readingOf = func(urlcore.URL) clean.Reading { return clean.Reading{Charset: o.charset, AllLines: true} }
	}
	return p.withForm(ctx, u, readingOf, func(u urlcore.URL) error {
		return p.withLogin(ctx, func() error {
			recorder := &app.Recorder{Fragment: urlcore.TypedFragment(u, arg)}
			fetcher := st.Fetchers(app.Way{Use: app.Print, Retry: o.consents.retry, Recorder: recorder, Unread: o.unread})
			err := dump.Write(ctx, fetcher, protocols.Request{URL: u, Hidden: o.hidden}, p.Out, o.format, isTerminal(p.Out), readingOf(u), nav.Show{PreferHTML: st.Config.PreferHTML, Article: o.article})
			for _, note := range recorder.Notes() {
				note = strings.Replace(note, protocols.OmittedResults, "use dump --all for the others", 1)
				fmt.Fprintf(p.Err, "gofer: note: %s\n", noteText(note))
			}
			return err
		})
	})
}

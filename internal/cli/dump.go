package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
	unread := false
	cmd := &cobra.Command{
		Use:   "dump URL",
		Short: "print a page without the screen",
		Long: "dump fetches a page and prints it as it arrives. The URL - is standard input.\n\n" +
			"  text   the page as on the screen\n" +
			"  json   one JSON object a line: the head, then each line with its URL\n" +
			"         and attributes (size, date; of an attachment name and media type)\n" +
			"  links  the canonical URL of each item, one a line\n" +
			"  raw    the exact octets of a document\n\n" +
			"On a terminal dump asks for the input that searches and forms need.\n" +
			"Text is UTF-8, or ASCII on a terminal whose locale (LC_ALL, LC_CTYPE or LANG) is\n" +
			"not UTF-8.",
		Args:              checkArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := dump.ParseFormat(format)
			if err != nil {
				return errors.Join(errUsage, err)
			}
			c, ok := charset.Parse(charsetName)
			if !ok {
				return errors.Join(errUsage, fmt.Errorf("unknown charset %q: use auto, %s", charsetName, strings.Join(charsetNames(), ", ")))
			}
			start, remove, err := p.readInput(cmd.Context(), args[0], media)
			defer remove()
			if err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.close()
			st.consents, st.onlyUnread = consents, unread
			if st.Offline {
				st.keepCopies(browseFlags{})
			}
			return p.dump(cmd.Context(), st, start, f, c, showHidden)
		},
	}
	consents.add(cmd)
	p.addTrustEnd(cmd)
	addTypeFlag(cmd, &media)
	cmd.Flags().BoolVar(&unread, "unread", false, "show only unread articles or groups (for newsgroups, news:* and about:news); mark nothing as read")
	cmd.Flags().StringVarP(&format, "format", "f", format, "text, json, links or raw")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(
		[]string{"text", "json", "links", "raw"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVarP(&showHidden, "all", "a", false, "also show hidden files, invisible links, killed articles and all results of a WAIS search")
	cmd.Flags().StringVar(&charsetName, "charset", charsetName, "the `NAME` of the page's charset; auto detects it from the first lines")
	_ = cmd.RegisterFlagCompletionFunc("charset", cobra.FixedCompletions(charsetNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func charsetNames() []string { return mapSlice(charset.All(), charset.Charset.String) }

func (p *Program) dump(ctx context.Context, st *state, arg string, f dump.Format, c charset.Charset, hidden bool) error {
	u, err := st.guessArgument(pathToURL(arg))
	if err != nil {
		return err
	}
	readingOf := st.readingOf
	if c != charset.Auto {
		readingOf = func(urlcore.URL) clean.Reading { return clean.Reading{Charset: c, AllLines: true} }
	}
	err = p.withForm(ctx, u, readingOf, func(u urlcore.URL) error {
		return p.withLogin(ctx, func() error {
			fetcher := &resourceRecorder{Fetcher: st.hideKilled(st.fetcher()), fragment: urlcore.TypedFragment(u, arg)}
			err := dump.Write(ctx, fetcher, protocols.Request{URL: u, Hidden: hidden}, p.Out, f, isTerminal(p.Out), readingOf(u), nav.Show{PreferHTML: st.Config.PreferHTML})
			for _, note := range fetcher.notes() {
				note = strings.Replace(note, protocols.OmittedResults, "use dump --all for the others", 1)
				fmt.Fprintf(p.Err, "gofer: note: %s\n", noteText(note))
			}
			return err
		})
	})
	if errors.Is(err, nav.ErrNoOctets) {
		return errors.Join(errUsage, err)
	}
	return err
}

// resourceRecorder is a Fetcher that records the fetched resource.
type resourceRecorder struct {
	protocols.Fetcher
	fragment string // the fragment of a resource without a fragment, or ""
	res      *protocols.Resource

	pageNotes []string // the notes of the page, or nil
}

func (f *resourceRecorder) Fetch(ctx context.Context, req protocols.Request) (res *protocols.Resource, err error) {
	if f.res, err = f.Fetcher.Fetch(ctx, req); err == nil && f.res != nil {
		f.res.Fragment = cmp.Or(f.res.Fragment, f.fragment)
	}
	return f.res, err
}

// RecordHead records the notes of the page that is made of the resource.
func (f *resourceRecorder) RecordHead(h protocols.Head) {
	if f.res != nil {
		f.pageNotes = h.Notes
	}
}

// notes returns the notes of the resource. It must be called after the resource has been read.
func (f *resourceRecorder) notes() []string {
	if f.res == nil {
		return nil
	}
	notes := f.res.Notes
	if f.pageNotes != nil {
		notes = f.pageNotes
	}
	if f.res.LateNotes == nil {
		return notes
	}
	return slices.Concat(notes, f.res.LateNotes())
}

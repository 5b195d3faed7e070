package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/internal/app"
	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/urlcore"
)

const maxShellURLs = 50 // bounds the number of URLs offered to the shell

// completeURLs offers the shell the URLs of bookmarks and visits that begin with the typed text. The text may
// leave out the scheme. completeURLs creates no files.
//
// URLs and titles may be the work of a stranger, and bash and PowerShell insert what several completions have in
// common without quotes. Therefore completeURLs offers only texts that every shell leaves as they are.
func (p *Program) completeURLs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, directive
	}
	c, _ := p.LoadSettings() // other commands report errors in the settings
	var visits *history.Store
	path := p.UserFolders(&c).Visits()
	if _, err := os.Stat(path); err == nil {
		visits = history.OpenStore(path)
		defer visits.Close()
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	index := history.NewIndex(visits, p.OpenBookmarks(&c))
	if typed == "" {
		recent, _ := index.Recent(ctx, maxShellURLs)
		var list []string
		for _, u := range recent {
			if text, ok := shellURL(u); ok {
				list = append(list, text)
			}
		}
		return list, directive
	}
	found, _ := index.Complete(ctx, unescapeShellURL(typed), 10*maxShellURLs)
	var list []string
	for _, c := range found {
		if text, ok := completeURL(c.URL, typed); ok && len(list) < maxShellURLs {
			if title := shellTitle(c.Title); title != "" {
				text += "\t" + title
			}
			list = append(list, text)
		}
	}
	return list, directive
}

// completeURL returns the URL u as a completion of the typed text: without its scheme if the text has none.
func completeURL(u, typed string) (text string, ok bool) {
	text, ok = shellURL(u)
	if !ok || strings.HasPrefix(text, typed) {
		return text, ok
	}
	_, rest, ok := strings.Cut(text, "://")
	if !ok || !strings.HasPrefix(rest, typed) {
		return "", false
	}
	guessed, err := urlcore.Guess(rest)
	if err != nil {
		return "", false
	}
	same, err := urlcore.Parse(text)
	return rest, err == nil && guessed == same
}

// isCommandWord reports whether arg looks like a command and not like a URL or a host.
func (p *Program) isCommandWord(arg string) bool {
	if arg == "" || arg == "-" || arg == "localhost" || strings.Trim(arg, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return false
	}
	c, _ := config.Load(app.ConfigFile(p.Getenv), p.Getenv) // errors are reported when the settings are used
	_, search := c.Search[arg]
	_, server := c.News[arg]
	_, page := about.PageOfWords(arg)
	return !search && !server && !page
}

package opener

import (
	"context"
	"mime"
	"os"
	"regexp"
	"strings"
	"sync"

	"gofer/internal/program"
	"gofer/protocols"
	"gofer/urlcore"
)

// Command is a program that opens a file.
type Command struct {
	protocols.Handoff
	Media string // the media type; for a URL without a file, its scheme
	File  string // the path that the program opens: the given path, or this path with a suffix
	Stdin bool   // the program reads the file from its standard input
	Pager bool   // show the output of the program page by page
}

// word matches texts from servers that may be inserted into a mailcap command. Such a text is no
// option and has no shell syntax.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+:/-]*$`) })

// CommandForFile returns the program for the file at path, which was fetched from u. The parameter
// media is the media type of the file with parameters, or "". The last element of path must be a
// harmless word.
func (p *Programs) CommandForFile(ctx context.Context, u urlcore.URL, path, media string) (*Command, error) {
	kind, params, err := mime.ParseMediaType(media)
	if err != nil {
		kind = strings.ToLower(strings.TrimSpace(strings.Split(media, ";")[0]))
	}
	if !word().MatchString(kind) {
		kind = "application/octet-stream"
	}
	for name, value := range params {
		if !word().MatchString(value) {
			delete(params, name)
		}
	}
	c := &Command{Handoff: protocols.Handoff{URL: u}, Media: kind, File: path}
	op := "open a file of type " + kind
	class, _, _ := strings.Cut(kind, "/")
	for _, key := range []string{kind, class + "/*", "*/*"} {
		if r, ok := p.Rules[key]; ok {
			h, err := r.handoff(u, path, op)
			if err != nil {
				return nil, err
			}
			c.Handoff = *h
			return c, nil
		}
	}
	for _, e := range p.mailcapEntries() {
		v := values{file: e.pathFor(path), media: kind, params: params}
		if !e.matches(kind) || !e.passesTest(ctx, v, os.Environ()) {
			continue
		}
		var named bool
		c.Argv, named = v.expand(e.command)
		c.File, c.Stdin, c.Pager = v.file, !named, e.pager // RFC 1524: a command without %s reads the file
		c.Window = !e.terminal && !e.pager && p.hasDisplay()
		return c, nil
	}
	h, err := p.systemOpener(u, path, op)
	if err != nil {
		return nil, err
	}
	c.Handoff = *h
	return c, nil
}

// pathFor returns path, with the file name suffix that the entry asks for.
func (e *entry) pathFor(path string) string {
	_, suffix, ok := strings.Cut(e.template, "%s")
	if !ok || strings.HasSuffix(path, suffix) || strings.ContainsAny(suffix, `/\`) {
		return path
	}
	return path + suffix
}

// expandCommand replaces each %s of a command with target. If there is no %s, it appends target. A
// percent sign is written %%.
func expandCommand(command, target string) ([]string, error) {
	argv, err := program.Words(command)
	if err != nil {
		return nil, err
	}
	found := false
	for i, word := range argv {
		found = found || strings.Contains(strings.ReplaceAll(word, "%%", ""), "%s")
		argv[i] = strings.NewReplacer("%%", "%", "%s", target).Replace(word)
	}
	if !found {
		argv = append(argv, target)
	}
	return argv, nil
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"gofer/internal/program"
	"gofer/internal/program/job"
	"gofer/internal/userfile/config"
	"gofer/internal/wire/netrc"
	"gofer/protocols"
	"gofer/urlcore"
)

// storedLogins finds logins in ~/.newsauth, ~/.netrc and by the password command.
type storedLogins struct {
	*Program
	stderr io.Writer // for the command; nil keeps it away from the terminal of the screen
}

// find returns a stored login. The error says why a stored one is unusable.
func (s storedLogins) find(ctx context.Context, login *protocols.Login) (user, password string, ok bool, err error) {
	host, port, err := net.SplitHostPort(login.Server)
	if err != nil || login.Failed || login.With == nil || s.restrict {
		return "", "", false, nil
	}
	if user, password, ok, err = s.newsauth(login, host, port); ok || err != nil {
		return user, password, ok, err
	}
	command := s.running.latest.Load().Config.PasswordCommand
	user, password, ok, err = s.netrc(host, login.User)
	if ok || err != nil || command == "" {
		return user, password, ok, err
	}
	for mark, name := range map[string]string{"%h": host, "%u": login.User} {
		if strings.Contains(command, mark) && !plainName(name) {
			return "", "", false, fmt.Errorf("password_command: not run, since %q is not a plain name for %s", name, mark)
		}
	}
	return s.run(ctx, command, strings.NewReplacer("%h", host, "%p", port, "%u", login.User, "%%", "%"), login.User)
}

// plainName reports whether name, from a link, is no option, no path and no shell
// syntax.
func plainName(name string) bool {
	return !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, ".") && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@._+-:", r)
	}) < 0
}

// newsauth looks into ~/.newsauth. The default user is the one of this machine.
func (s storedLogins) newsauth(login *protocols.Login, host, port string) (user, password string, ok bool, err error) {
	home := config.Home(s.Getenv)
	switch login.URL.(type) {
	case urlcore.News, urlcore.NNTP:
	default:
		return "", "", false, nil
	}
	if home == "" {
		return "", "", false, nil
	}
	found, ok, err := netrc.FindNews(filepath.Join(home, ".newsauth"), host, port, login.User)
	for _, name := range []string{login.User, s.Getenv("USER"), s.Getenv("LOGNAME"), s.Getenv("USERNAME")} {
		found.User = cmp.Or(found.User, name)
	}
	return found.User, found.Password, ok && found.User != "", err
}

func (s storedLogins) netrc(host, user string) (_, password string, ok bool, err error) {
	path := s.Getenv("NETRC")
	if home := s.Getenv("HOME"); path == "" && home != "" {
		path = filepath.Join(home, ".netrc")
	} else if home := s.Getenv("USERPROFILE"); path == "" && home != "" && runtime.GOOS == "windows" {
		path = filepath.Join(home, "_netrc")
	}
	found, ok, err := netrc.Find(path, host, user)
	found.User = cmp.Or(found.User, user)
	return found.User, found.Password, ok && found.User != "", err
}

// errInterrupted reports that Ctrl-C has ended the password command.
var errInterrupted = errors.New("password_command: interrupted")

// run runs the password command. Its first line is the password; a later line "user:
// name" or "login: name" names the user. If the command fails, it knows no login.
func (s storedLogins) run(ctx context.Context, command string, names *strings.Replacer, user string) (_, password string, ok bool, err error) {
	argv, err := program.Words(command)
	if err != nil {
		return "", "", false, err
	}
	for i := range argv {
		argv[i] = names.Replace(argv[i])
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var out strings.Builder
	cmd.Stdout = &out
	if cmd.Stderr = s.stderr; s.stderr == nil {
		program.Detach(cmd)
	}
	err = job.Run(ctx, cmd)
	var failed *job.ExitError
	switch {
	case ctx.Err() != nil:
		return "", "", false, context.Cause(ctx)
	case errors.As(err, &failed) && failed.Interrupted:
		return "", "", false, errInterrupted
	case errors.As(err, &failed):
		return "", "", false, nil
	case err != nil:
		return "", "", false, fmt.Errorf("password_command: %w", err)
	}
	password, rest, _ := strings.Cut(out.String(), "\n")
	for line := range strings.Lines(rest) {
		name, value, _ := strings.Cut(line, ":")
		if name = strings.ToLower(strings.TrimSpace(name)); user == "" && (name == "user" || name == "login" || name == "username") {
			user = strings.TrimSpace(value)
		}
	}
	return user, strings.TrimSuffix(password, "\r"), user != "", nil
}

// loginFetcher is a Registry that uses stored logins.
type loginFetcher struct {
	protocols.Registry
	logins storedLogins
}

func (f loginFetcher) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	r, err := repeater{f.Registry, f.logins.using}.Fetch(ctx, u)
	if c, ok := errors.AsType[*protocols.Compose](err); ok {
		c.Draft = loggedInDraft{c.Draft, f.logins}
	}
	return r, err
}

// loggedInDraft is a message that is sent with stored logins.
type loggedInDraft struct {
	protocols.Draft
	logins storedLogins
}

func (d loggedInDraft) Send(ctx context.Context) error {
	return d.logins.using(ctx, func() error { return d.Draft.Send(ctx) })
}

// using calls do, and again with the stored login if do wants one.
func (s storedLogins) using(ctx context.Context, do func() error) error {
	err := do()
	var login *protocols.Login
	if !errors.As(err, &login) {
		return err
	}
	user, password, ok, failed := s.find(ctx, login)
	switch {
	case ok:
		login.With(user, password)
		return do()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed != nil:
		login.Note = failed.Error()
	}
	return err
}

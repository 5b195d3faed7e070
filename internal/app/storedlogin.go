package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
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

// StoredLogins finds logins in ~/.newsauth and ~/.netrc, and runs the password command.
type StoredLogins struct {
	*State
	Stderr io.Writer // standard error of the password command; if nil, the command cannot use the terminal
}

// Find returns a stored login that a fetch with ctx may use (see [protocols.MayLogIn]). It returns an error if a login is stored but unusable, or if the password
// command cannot be run or is interrupted.
func (s StoredLogins) Find(ctx context.Context, login *protocols.Login) (user, password string, ok bool, err error) {
	host, port, err := net.SplitHostPort(login.Server)
	mayLogIn := login.URL == nil || protocols.MayLogIn(ctx, login.URL.Scheme(), login.Server)
	if err != nil || login.Failed || login.With == nil || s.Config.Restrict.Enabled || !mayLogIn {
		return "", "", false, nil
	}
	if user, password, ok, err = s.findInNewsauth(login, host, port); ok || err != nil {
		return user, password, ok, err
	}
	command := s.latest.Load().Config.PasswordCommand
	user, password, ok, err = s.findInNetrc(host, login.User)
	if ok || err != nil || command == "" {
		return user, password, ok, err
	}
	for mark, name := range map[string]string{"%h": host, "%u": login.User} {
		if strings.Contains(command, mark) && !isPlainName(name) {
			return "", "", false, fmt.Errorf("password_command: not run, because %q is unsafe for %s", name, mark)
		}
	}
	return s.runPasswordCommand(ctx, command, strings.NewReplacer("%h", host, "%p", port, "%u", login.User, "%%", "%"), login.User)
}

// isPlainName reports whether name is safe as an argument, because it is not an option, a path or shell syntax.
// The name may come from a link.
func isPlainName(name string) bool {
	return !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, ".") && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@._+-:", r)
	}) < 0
}

// findInNewsauth looks up a login in ~/.newsauth. The default user name is the user's name on this machine.
func (s StoredLogins) findInNewsauth(login *protocols.Login, host, port string) (user, password string, ok bool, err error) {
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

func netrcPath(getenv func(string) string) string {
	path := getenv("NETRC")
	if home := getenv("HOME"); path == "" && home != "" {
		path = filepath.Join(home, ".netrc")
	} else if home := getenv("USERPROFILE"); path == "" && home != "" && runtime.GOOS == "windows" {
		path = filepath.Join(home, "_netrc")
	}
	return path
}

// AnonymousPassword returns the password of the anonymous login at an FTP host, or "" for the usual one: that of an
// entry for the user "anonymous" in ~/.netrc, or else that of the settings. In restricted mode it is "".
func (s Setup) AnonymousPassword(host string) string {
	if s.Config.Restrict.Enabled {
		return ""
	}
	if found, ok, err := netrc.Find(netrcPath(s.Getenv), host, "anonymous"); ok && err == nil && found.User == "anonymous" && found.Password != "" {
		return found.Password
	}
	if s.Config.AnonymousPassword != "mail.from" {
		return s.Config.AnonymousPassword
	}
	if from, err := mail.ParseAddress(s.Config.Mail.From); err == nil {
		return from.Address
	}
	return ""
}

func (s StoredLogins) findInNetrc(host, user string) (_, password string, ok bool, err error) {
	found, ok, err := netrc.Find(netrcPath(s.Getenv), host, user)
	found.User = cmp.Or(found.User, user)
	return found.User, found.Password, ok && found.User != "", err
}

// ErrInterrupted reports that Ctrl-C ended the password command.
var ErrInterrupted = errors.New("password_command: interrupted")

// runPasswordCommand runs the password command. The first line of its output is the password. If user is "", a later
// line "user: NAME", "login: NAME" or "username: NAME" names the user. A failed command means that no login is stored.
func (s StoredLogins) runPasswordCommand(ctx context.Context, command string, names *strings.Replacer, user string) (_, password string, ok bool, err error) {
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
	if cmd.Stderr = s.Stderr; s.Stderr == nil {
		program.EndWithParent(cmd)
	}
	err = job.Run(ctx, cmd)
	var exitErr *job.ExitError
	switch {
	case ctx.Err() != nil:
		return "", "", false, context.Cause(ctx)
	case errors.As(err, &exitErr) && exitErr.Interrupted:
		return "", "", false, ErrInterrupted
	case errors.As(err, &exitErr):
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

// Retry calls attempt. If attempt needs a login, Retry calls it again with the stored login.
func (s StoredLogins) Retry(ctx context.Context, attempt func() error) error {
	err := attempt()
	var login *protocols.Login
	if !errors.As(err, &login) {
		return err
	}
	user, password, ok, findErr := s.Find(ctx, login)
	switch {
	case ok:
		login.With(user, password)
		return attempt()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case findErr != nil:
		login.Note = findErr.Error()
	}
	return err
}

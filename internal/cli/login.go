package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/protocols"
)

const maxLogins = 3 // bounds the attempts on the terminal

// withLogin calls attempt. If attempt needs a login, withLogin repeats it with the stored login, then with
// typed logins.
func (p *Program) withLogin(ctx context.Context, attempt func() error) error {
	err := attempt()
	for asked, stored := 0, true; asked <= maxLogins; stored = false {
		var login *protocols.Login
		if !errors.As(err, &login) || login.With == nil {
			return err
		}
		user, password, ok := "", "", false
		if stored {
			var loginErr error
			user, password, ok, loginErr = app.StoredLogins{State: p.state, Stderr: p.Err}.Find(ctx, login)
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case errors.Is(loginErr, app.ErrInterrupted):
				return loginErr
			case loginErr != nil:
				fmt.Fprintf(p.Err, "gofer: %s\n", errorLine(loginErr))
			}
		}
		if !ok {
			if asked++; asked > maxLogins {
				return err
			}
			var loginErr error
			if user, password, loginErr = p.askLogin(ctx, login); loginErr != nil {
				if ctx.Err() != nil || errors.Is(loginErr, context.Canceled) {
					return loginErr
				}
				return errors.Join(loginErr, err)
			}
			if password == "" && user == "" {
				return err
			}
		}
		login.With(user, password)
		err = attempt()
	}
	return err
}

// askLogin asks for a password, and for a user if login has none. Without a terminal it returns "" for both.
func (p *Program) askLogin(ctx context.Context, login *protocols.Login) (user, password string, err error) {
	in, ok := p.In.(*os.File)
	if !ok || !p.canAsk() {
		return "", "", nil
	}
	if login.Note != "" {
		fmt.Fprintln(p.Err, clean.Text(login.Note))
	}
	r := formReader{ctx: ctx, in: in, out: p.Err, server: login.Server}
	r.printServerText(login.Text)
	if user = login.User; user == "" {
		fmt.Fprintf(p.Err, "User for %s: ", clean.Text(login.Server))
		if user, err = readUntilDone(ctx, func() (string, error) { return readTrimmedLine(in) }); err != nil || user == "" {
			return "", "", err
		}
	}
	password, err = r.readSecret(fmt.Sprintf("%s for %s at %s: ", cmp.Or(login.Secret, "Password"), clean.Text(user), clean.Text(login.Server)))
	return user, password, err
}

// readUntilDone calls the function read in a goroutine and returns its result. If ctx ends first, it returns
// the cause, and the goroutine may continue until the program ends.
func readUntilDone(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := read()
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Keys that a terminal in raw mode does not handle itself.
const ctrlC, ctrlD, backspace, ctrlU, erase = 3, 4, 8, 21, 127

func readTypedSecret(in *os.File) (string, error) {
	var typed []byte
	for c := make([]byte, 1); ; {
		n, err := in.Read(c)
		if err != nil {
			return "", err
		}
		switch {
		case n == 0:
		case c[0] == '\r', c[0] == '\n':
			return string(typed), nil
		case c[0] == ctrlC, c[0] == ctrlD && len(typed) == 0:
			return "", context.Canceled
		case c[0] == ctrlU:
			typed = typed[:0]
		case c[0] == backspace, c[0] == erase:
			_, last := utf8.DecodeLastRune(typed)
			typed = typed[:len(typed)-last]
		default:
			typed = append(typed, c[0])
		}
	}
}

// readTrimmedLine reads one line, as readUnbufferedLine does, and trims white space.
func readTrimmedLine(in io.Reader) (string, error) {
	line, err := readUnbufferedLine(in)
	return strings.TrimSpace(line), err
}

// readUnbufferedLine reads one line octet by octet, so that the rest of the input stays unread.
func readUnbufferedLine(in io.Reader) (string, error) {
	var b strings.Builder
	for c := make([]byte, 1); ; {
		n, err := in.Read(c)
		if n == 0 && err == nil {
			continue
		}
		if n == 0 || c[0] == '\n' {
			return strings.TrimSuffix(b.String(), "\r"), err
		}
		b.Write(c)
	}
}

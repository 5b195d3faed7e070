// Package config reads what the user has set: one TOML file and a few
// environment variables.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"gofer/internal/wire"
)

// Config is what a user can set. The zero value is the default.
type Config struct {
	// NewsServer is where news: URLs go: "host" or "host:port".
	NewsServer string `toml:"news_server"`
	// Downloads is the folder for saved files.
	Downloads string `toml:"downloads"`
	// ASCII draws the screen without characters outside ASCII.
	ASCII bool `toml:"ascii"`
	// Mouse lets the mouse scroll and follow; the terminal then selects text
	// only with Shift held.
	Mouse bool `toml:"mouse"`
	// Timeouts are how long a server may take.
	Timeouts Timeouts `toml:"timeouts"`
}

// Timeouts are the limits of [wire.Dialer], as TOML strings like "15s".
type Timeouts struct {
	Connect   Duration `toml:"connect"`
	FirstByte Duration `toml:"first_byte"`
	Idle      Duration `toml:"idle"`
}

// Dialer returns connections with these limits.
func (t Timeouts) Dialer() wire.Dialer {
	return wire.Dialer{
		Connect:   time.Duration(t.Connect),
		FirstByte: time.Duration(t.FirstByte),
		Idle:      time.Duration(t.Idle),
	}
}

// Duration is a time.Duration that reads Go's notation: "1m30s".
type Duration time.Duration

// UnmarshalText reads a positive duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v <= 0 {
		err = fmt.Errorf("%q is not a positive time", text)
	}
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// Load reads the file at path; that there is none is no error. The error of a
// file that cannot be understood names the line. The variable NNTPSERVER of
// env, where set, wins over the file's news_server.
func Load(path string, env func(string) string) (Config, error) {
	var c Config
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return c, err
	default:
		dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			return Config{}, explain(path, err)
		}
	}
	if s := env("NNTPSERVER"); s != "" {
		c.NewsServer = s
	}
	c.NewsServer = withPort(c.NewsServer, "119")
	return c, nil
}

func explain(path string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		row, _ := unknown.Errors[0].Position()
		return fmt.Errorf("%s:%d: there is no setting %q", path, row, strings.Join(unknown.Errors[0].Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, column := decode.Position()
		return fmt.Errorf("%s:%d:%d: %w", path, row, column, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// withPort returns host as "host:port".
func withPort(host, port string) string {
	if host == "" {
		return ""
	}
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	return net.JoinHostPort(host, port)
}

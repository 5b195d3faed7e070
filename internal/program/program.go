// Package program runs other programs and prepares their arguments, environment, input and
// temporary files.
package program

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/program/job"
)

// Program describes how to run another program.
type Program struct {
	Argv   []string
	Name   string                        // for messages
	Env    []string                      // nil means the environment without secrets, see [Env]
	Window bool                          // the program opens a window and needs no terminal
	Stdin  func() (io.ReadCloser, error) // opens the input; nil means the keyboard
	Pager  bool                          // show the output with the user's pager
	Pause  bool                          // keep the output on the screen until Enter is pressed
	OnEnd  func()                        // called after the program has ended, unless Window is set; may be nil
}

// EndText returns a message about the end of a program. The parameter err is the error from
// [Program.Run].
func EndText(name string, err error) string {
	var exit *job.ExitError
	switch {
	case err == nil:
		return name + " has ended"
	case errors.As(err, &exit):
		return name + ": " + exit.Status
	}
	return err.Error()
}

// Start runs a program without the terminal and waits until it ends. The program survives gofer.
func (p Program) Start() error {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Env = p.env()
	Detach(cmd)
	return p.withInput(cmd, func() error { return job.Run(context.Background(), cmd) })
}

func (p Program) env() []string {
	if p.Env == nil {
		return Env(os.Environ())
	}
	return p.Env
}

// withInput sets the input of cmd to the input of p and calls the function run.
func (p Program) withInput(cmd *exec.Cmd, run func() error) error {
	if p.Stdin != nil {
		in, err := p.Stdin()
		if err != nil {
			return err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	return run()
}

// Run runs a program in a terminal until it ends or ctx is done. Its input is the keyboard unless
// p.Stdin is set. The keyboard may be nil.
func (p Program) Run(ctx context.Context, keyboard *os.File, screen io.Writer) error {
	cmd := screenCommand(p.Argv, p.env(), screen)
	if keyboard != nil {
		cmd.Stdin = keyboard
	}
	cmds := []*exec.Cmd{cmd}
	if p.Pager {
		cmds = append(cmds, screenCommand(pagerArgv(), os.Environ(), screen))
	}
	return p.withInput(cmd, func() error { return job.Run(ctx, cmds...) })
}

// VerifySignature checks the OpenPGP signature of a text with gpg and the keys of the user's
// keyring, without the network. If signature is nil, the text contains the signature.
// VerifySignature returns whether all signatures are good, the text that gpg has verified, and the
// lines that gpg prints. Neither text nor lines are cleaned. The error reports that gpg did not run.
func VerifySignature(ctx context.Context, text, signature []byte) (good bool, verified []byte, lines []string, err error) {
	argv := strings.Fields("--batch --no-tty --disable-dirmngr --no-auto-key-retrieve --no-auto-check-trustdb --verify-options no-show-photos --verify")
	if signature == nil { // the output of gpg does not have the lines before and after the signed text
		argv = slices.Insert(argv, 0, "--max-output", "8388608", "--output", "-")
	} else {
		var folders TempFolders
		defer folders.Remove()
		dir, err := folders.Create()
		path := filepath.Join(dir, "signature")
		if err == nil {
			err = os.WriteFile(path, signature, 0o600)
		}
		if err != nil {
			return false, nil, nil, err
		}
		argv = append(argv, path, "-")
	}
	const maxLines = 50
	var out strings.Builder
	var inner bytes.Buffer
	cmd := exec.Command("gpg", argv...)
	cmd.Env = append(Env(os.Environ()), "GNUPGHOME="+os.Getenv("GNUPGHOME")) // if GNUPGHOME is empty, gpg uses ~/.gnupg
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &inner, &out
	EndWithParent(cmd)
	err = job.Run(ctx, cmd)
	if _, failed := errors.AsType[*job.ExitError](err); err != nil && !failed {
		return false, nil, nil, err
	}
	lines = strings.SplitN(strings.TrimSpace(out.String()), "\n", maxLines+1)
	if signature == nil {
		text = inner.Bytes()
	}
	return err == nil, text, lines[:min(len(lines), maxLines)], nil
}

func screenCommand(argv, env []string, screen io.Writer) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, screen, screen
	return cmd
}

func pagerArgv() []string {
	if argv, err := Words(os.Getenv("PAGER")); err == nil {
		return argv
	}
	if _, err := exec.LookPath("less"); err == nil {
		return []string{"less"}
	}
	return []string{"more"}
}

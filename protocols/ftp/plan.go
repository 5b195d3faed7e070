package ftp

import (
	"slices"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// job is what a URL asks for, in the arguments of the commands that do it.
// Fetch does what it says and Plan shows it.
type job struct {
	asked urlcore.FTP // the URL as it was asked for, without the password
	url   urlcore.FTP // the canonical one of what will come, likewise
	addr  string
	cwds  []string // arguments of the CWDs
	name  string   // argument of RETR; "" if the directory is to be listed
	typ   byte     // 'a', 'i', or 0: image, and if it is a directory, list it
}

// newJob reads u as RFC 1738, section 3.2.2 says: one CWD for each segment but
// the last, then RETR; a directory (;type=d, or an empty last segment) is
// changed into as well, and listed without an argument, for "NLST name"
// answers paths on some servers and options on others.
func newJob(u urlcore.FTP) (*job, error) {
	plain := u
	plain.Password, plain.HasPassword = "", false
	j := &job{asked: plain, url: plain, addr: u.Addr(), cwds: u.CWDs(), name: u.Name(), typ: u.Type}
	for _, p := range []struct{ what, s string }{
		{"host", u.Host}, {"user name", u.User}, {"password", u.Password}, {"file name", j.name},
	} {
		if err := wire.Check(p.what, p.s); err != nil {
			return nil, err
		}
	}
	for _, d := range j.cwds {
		if err := wire.Check("directory name", d); err != nil {
			return nil, err
		}
	}
	if u.Type != 'd' && j.name != "" {
		return j, nil
	}
	return j.directory()
}

// directory is the job of listing what j names, under its canonical URL.
func (j *job) directory() (*job, error) {
	d := *j
	d.cwds, d.name, d.typ = slices.Clone(j.cwds), "", 0
	if j.name != "" {
		d.cwds = append(d.cwds, j.name)
	}
	parents, last := d.cwds, ""
	if n := len(d.cwds); n > 0 && d.cwds[n-1] != "" {
		parents, last = d.cwds[:n-1], d.cwds[n-1]
	}
	u, err := urlcore.NewFTP(d.url.Server, parents, last, 'd')
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "name the directory", Err: err}
	}
	d.url = u
	return &d, nil
}

// key says which kept connections are good for the job.
func (j *job) key(cred wire.Credentials) wire.Key {
	return wire.Key{Scheme: j.url.Scheme(), Addr: j.addr, Login: cred}
}

// user returns the argument of USER, and whether it is the anonymous user,
// whose password everybody knows (RFC 1635).
func (j *job) user() (name string, anonymous bool) {
	if !j.url.HasUser {
		return "anonymous", true
	}
	return j.url.User, (j.url.User == "anonymous" || j.url.User == "ftp")
}

// steps are the commands of the job in their order on a new connection.
func (j *job) steps(user string) []protocols.Step {
	var steps []protocols.Step
	add := func(send, note string) {
		if note == "" && strings.Contains(send, "\xff") {
			note = "FF is doubled (Telnet IAC); if it is refused, sent once more as it is"
		}
		steps = append(steps, protocols.Step{Peer: j.addr, Send: onWire(send), Note: note})
	}
	add("USER "+user, "")
	add("PASS ****", "if the server asks for it")
	add("FEAT", "")
	add("TYPE I", "octets as they are")
	add("OPTS UTF8 ON", "if the server offers it")
	add("PWD", "to find back, when the connection is used again")
	for _, d := range j.cwds {
		note := ""
		if d == "" {
			note = "an empty segment; a refusal is passed over"
		}
		add("CWD "+d, note)
	}
	const passive = "PASV if it is refused"
	if j.name == "" {
		add("EPSV", passive)
		add("MLSD", "LIST if the server has no MLSD, NLST if it has no LIST")
		return steps
	}
	if j.typ == 'a' {
		add("TYPE A", "text; line ends are converted")
	} else {
		add("SIZE "+j.name, "")
	}
	add("EPSV", passive)
	note := ""
	if j.typ == 0 {
		note = "if it is refused with 550, CWD and list it as a directory"
	}
	add("RETR "+j.name, note)
	return steps
}

// Plan returns the commands that Fetch would send for u on a new connection.
// One that was kept from an earlier Fetch needs fewer.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	f, err := ours(u)
	if err != nil {
		return nil, err
	}
	j, err := newJob(f)
	if err != nil {
		return nil, err
	}
	return j.steps(c.credentials(f, j).User), nil
}

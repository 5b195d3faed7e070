package sftp

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// newConfigured returns a client whose user has files, by their paths in the home directory.
func newConfigured(t testing.TB, files map[string]string) *Client {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	return &Client{UserName: "joe", SystemDir: filepath.Join(home, "system"), Getenv: func(name string) string {
		return map[string]string{"HOME": home, "USER": "joe", "SSH_AUTH_SOCK": "/agent", "SOCKET": "/other"}[name]
	}}
}

// describe returns what a configuration says about a host.
func (h host) describe(c *Client) string {
	keys := ""
	for _, path := range h.keyFiles {
		keys += " " + c.shorten(path)
	}
	known := make([]string, 0, len(h.known))
	for _, path := range h.known {
		known = append(known, c.shorten(path))
	}
	return fmt.Sprintf("%s@%s jumps=%v keys=%s agent=%s only=%t methods=%v alias=%s strict=%t known=%v refused=%t", h.user, h.addr, h.jumps, keys,
		h.agent, h.identitiesOnly, h.methods, h.alias, h.strict, known, h.refused != nil)
}

// TestSSHConfig checks what the configuration says about the host "box". The parameter want is a part of the description, or of
// the error.
func TestSSHConfig(t *testing.T) {
	for name, tt := range map[string]struct{ config, want string }{
		"no file":            {"", "joe@box:22 jumps=[] keys= ~/.ssh/id_ed25519 ~/.ssh/id_ecdsa ~/.ssh/id_rsa agent=/agent only=false methods=[publickey keyboard-interactive password] alias= strict=false known=[~/.ssh/known_hosts ~/.ssh/known_hosts2] refused=false"},
		"first value":        {"Host b*\n User ann\nHost *\n User bob\n", "ann@box:22"},
		"negated":            {"Host * !box\n User ann\n", "joe@"},
		"letters of a host":  {"Host BOX\n User ann\n", "~/.ssh/config, line 2: gofer cannot find out"},
		"letters negated":    {"Host * !BOX\n User ann\n", "~/.ssh/config, line 2: gofer cannot find out"},
		"letters twice":      {"Host BOX box\n User ann\n", "ann@"},
		"commas":             {"Host a,box\n User ann\n", "joe@"},
		"comment and equals": {"# c\nHost=box # c\n\tuser = \"ann\" # c\n", "ann@"},
		"host name":          {"HostName %h.EXAMPLE.org\n", "@box.example.org:22"},
		"odd host name":      {"HostName %n\n", "line 1: HostName cannot be \"%n\""},
		"port":               {"Port 0222\n", ":222"},
		"odd port":           {"\nPort ssh\n", `~/.ssh/config, line 2: "ssh" is not a port`},
		"large port":         {"Port 65536\n", "is not a port"},
		"jump":               {"ProxyJump a,%r@b:2\nProxyCommand nc\n", "jumps=[a joe@b:2] keys"},
		"no jump":            {"Host box\n ProxyJump none\nHost *\n ProxyJump a\n", "jumps=[] keys"},
		"proxy command":      {"Host box\n ProxyCommand nc %h\nHost *\n ProxyJump a\n", "refused=true"},
		"no proxy command":   {"ProxyCommand none\n", "refused=false"},
		"keys":               {"IdentityFile ~/a\nIdentityFile %d/.ssh/%n\nIdentitiesOnly yes\n", "keys= ~/a ~/.ssh/box agent=/agent only=true"},
		"no keys":            {"IdentityFile none\n", "keys= agent"},
		"unknown token":      {"IdentityFile ~/%C\n", "line 1: gofer does not know %C"},
		"no agent":           {"IdentityAgent none\n", "agent= only"},
		"agent by variable":  {"IdentityAgent $SOCKET\n", "agent=/other only"},
		"agent by path":      {"IdentityAgent ${SOCKET}/a\n", "agent=/other/a only"},
		"no public keys":     {"PubkeyAuthentication no\nPasswordAuthentication no\n", "methods=[keyboard-interactive]"},
		"old keywords":       {"TisAuthentication no\nDSAAuthentication no\nIdentityFile2 ~/a\n", "keys= ~/a agent=/agent only=false methods=[password]"},
		"old keyword":        {"ChallengeResponseAuthentication no\n", "methods=[publickey password]"},
		"no questions":       {"BatchMode yes\n", "methods=[publickey] alias= strict=true"},
		"no prompts":         {"NumberOfPasswordPrompts 0\n", "methods=[publickey] alias= strict=false"},
		"odd prompts":        {"NumberOfPasswordPrompts x\n", "NumberOfPasswordPrompts cannot be"},
		"order":              {"PreferredAuthentications password,gssapi-with-mic,publickey\n", "methods=[password publickey]"},
		"odd answer":         {"PubkeyAuthentication maybe\n", `cannot be "maybe"`},
		"alias":              {"HostKeyAlias Real\n", "alias=real"},
		"strict":             {"StrictHostKeyChecking yes\n", "strict=true"},
		"lax":                {"StrictHostKeyChecking no\n", "strict=false"},
		"known hosts":        {"UserKnownHostsFile ~/k1 \"~/k 2\"\n", "known=[~/k1 ~/k 2]"},
		"no known hosts":     {"UserKnownHostsFile none\n", "known=[]"},
		"canonical":          {"CanonicalizeHostname yes\n", "gofer does not support CanonicalizeHostname"},
		"known by a program": {"KnownHostsCommand /bin/x\n", "gofer does not support KnownHostsCommand"},
		"ciphers":            {"Ciphers no-such\n", "gofer has none of these Ciphers"},
		"irrelevant":         {"SendEnv LANG\nForwardAgent yes\nNoSuchKeyword\n", "joe@box:22"},
		"quotation":          {"\nUser \"ann\n", "~/.ssh/config, line 2: a quotation mark is missing"},
		"no value":           {"User\n", "line 1: User has no value"},

		"match all":                 {"Match all\n User ann\n", "ann@"},
		"match host":                {"HostName real\nMatch host real,other\n User ann\n", "ann@"},
		"match two criteria":        {"Match originalhost box user bob\n User ann\n", "joe@"},
		"match local user":          {"Match localuser=joe !user bob\n User ann\n", "ann@"},
		"match final":               {"Match final host real\n User ann\nHost *\n HostName real\n IdentityFile ~/a\n", "ann@real:22 jumps=[] keys= ~/a agent"},
		"match canonical":           {"Match canonical\n User ann\n", "joe@"},
		"match canonical, finally":  {"Match canonical\n User ann\nMatch final\n Port 2\n", "ann@box:2 "},
		"host name finally":         {"Match final\n HostName real\n User ann\n", "ann@box:22"},
		"final elsewhere":           {"Match canonical\n User ann\nHost other\n Include final\n", "ann@box:22"},
		"match with spaces":         {"Match host = box user=joe\n User ann\n", "line 1: gofer cannot read Match host"},
		"match with a space":        {"Match host= box\n User ann\n", "line 1: gofer cannot read Match host"},
		"match with another space":  {"Match host =box\n User ann\n", "line 1: gofer cannot read Match host"},
		"match without a value":     {"Match final user\n User ann\n", "line 1: gofer cannot read Match user"},
		"match with a value":        {"Match all=x\n User ann\n", "line 1: gofer cannot read Match all=x"},
		"match tag":                 {"Tag t\nMatch tagged t\n User ann\n", "ann@"},
		"match a program":           {"# c\nMatch exec \"true\"\n ProxyJump a\n", "~/.ssh/config, line 3: gofer cannot find out whether this block is for the host"},
		"match a program elsewhere": {"Match host other exec \"true\"\n ProxyJump a\n", "jumps=[] keys"},
		"match a program, harmless": {"Match exec \"true\"\n ForwardX11 yes\n", "joe@"},
		"match a program, decided":  {"ProxyJump none\nMatch exec \"true\"\n ProxyJump a\n", "jumps=[] keys"},
		"match an unknown thing":    {"Match moon full\n User ann\n", "line 2: gofer cannot find out"},
		"match nothing":             {"Match\n User ann\n", "Match has no criterion"},

		"include":              {"Include more/*\nUser bob\n", "ann@"},
		"include for no host":  {"Host other\n Include more/*\n", "joe@"},
		"include in a program": {"Match exec x\n Include more/*\n", "~/.ssh/more/a, line 1: gofer cannot find out"},
		"include itself":       {"Include config\n", "too many files include each other"},
		"include hidden":       {"Include dots/*\n", "bob@"},
		"include named hidden": {"Include dots/.*\n", "eve@"},
		"include a set":        {"Include dots/[!a]*\n", "bob@"},
		"include an odd set":   {"\nInclude dots/[^a]*\n", "line 2: gofer cannot be sure which files"},
		"include a class":      {"Include dots/[[:alpha:]]\n", "line 1: gofer cannot be sure which files"},
		"include an escape":    {"Include dots/\\*\n", "line 1: gofer cannot be sure which files"},
		"include a token":      {"Include dots/%h\n", "line 1: gofer does not know the file"},
		"include a variable":   {"Include ${HOME}/x\n", "line 1: gofer does not know the file"},
		"include a folder":     {"Include d*\nUser eve\n", "eve@"},
		"include nothing":      {"Include no/such\n", "joe@"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConfigured(t, map[string]string{
				".ssh/config": tt.config, ".ssh/more/a": "User ann\n",
				".ssh/final": "Match final\n", ".ssh/dots/.a": "User eve\n", ".ssh/dots/b": "User bob\n",
			})
			h, err := c.resolveHost("box", "", "")
			got := h.describe(c)
			if err != nil {
				got = err.Error()
			}
			fetchtest.Contains(t, got, tt.want)
		})
	}
}

// TestSystemConfig checks that the file of the system comes after that of the user, and the port and user of a URL before both.
func TestSystemConfig(t *testing.T) {
	c := newConfigured(t, map[string]string{".ssh/config": "User ann\n", "system/ssh_config": "Include d/*.conf\nUser bob\n", "system/d/a.conf": "Port 2222\nProxyJump a\n"})
	h := fetchtest.Must(c.resolveHost("box", "", ""))(t)
	fetchtest.Equal(t, h.user+" "+h.addr+" "+strings.Join(h.jumps, ","), "ann box:2222 a")
	h = fetchtest.Must(c.resolveHost("box", "22", "eve"))(t)
	fetchtest.Equal(t, h.user+" "+h.addr, "eve box:22")
}

// TestLocalUser checks that the account of the process names the user, and not the environment.
func TestLocalUser(t *testing.T) {
	want := fetchtest.Must(user.Current())(t).Username
	c := newConfigured(t, map[string]string{".ssh/config": "Match localuser " + want + "\n Port 2\n"})
	c.UserName = ""
	h := fetchtest.Must(c.resolveHost("box", "", ""))(t)
	fetchtest.Equal(t, h.user+"@"+h.addr, want+"@box:2")
}

// TestUnsafeConfig checks that a file that others may write is refused, as OpenSSH does, wherever it is included.
func TestUnsafeConfig(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"config": 0o662, "more/a": 0o606} {
		c := newConfigured(t, map[string]string{".ssh/config": "Include more/*\n", ".ssh/more/a": "User ann\n"})
		fetchtest.NoError(t, os.Chmod(c.sshFile(name), mode))
		_, err := c.resolveHost("box", "", "")
		if err == nil {
			t.Fatalf("%s with the mode %o: got no error, want one", name, mode)
		}
		fetchtest.Contains(t, err.Error(), "~/.ssh/"+name+" is not used, because another user may have written it")
	}
	if os.Geteuid() == 0 {
		c := newConfigured(t, map[string]string{".ssh/config": "User ann\n"})
		fetchtest.NoError(t, os.Chown(c.sshFile("config"), 65534, -1))
		if _, err := c.resolveHost("box", "", ""); err == nil {
			t.Error("a file of another user: got no error, want one")
		}
	}
}

// TestRoute checks the hosts on the way to another one.
func TestRoute(t *testing.T) {
	for name, tt := range map[string]struct{ config, want string }{
		"direct":               {"", ""},
		"all":                  {"Host *\n ProxyJump gate\n", "gate:22"},
		"two":                  {"Host box\n ProxyJump gate,inner:2\n", "gate:22 inner:2"},
		"the way to the first": {"Host box\n ProxyJump inner,last\nHost inner\n ProxyJump gate\nHost last\n ProxyJump elsewhere\n", "gate:22 inner:22 last:22"},
		"a circle":             {"Host box\n ProxyJump a\nHost a\n ProxyJump b\nHost b\n ProxyJump a\n", "~/.ssh/config, line 6: the way leads over \"a\" twice"},
		"one of them twice":    {"Host box\n ProxyJump gate,inner\nHost gate\n ProxyJump inner\n", "~/.ssh/config, line 2: the way leads over \"inner\" twice"},
		"over the host itself": {"Host box\n ProxyJump gate\nHost gate\n ProxyJump box\n", "line 4: the way leads over \"box\" twice"},
		"one address":          {"Host gate\n HostName 10.0.0.1\nHost box\n HostName 10.0.0.1\n ProxyJump gate\n", "10.0.0.1:22"},
		"program":              {"ProxyCommand nc\n", "gofer runs no ProxyCommand"},
		"program on the way":   {"Host box\n ProxyJump gate\nHost gate\n ProxyCommand nc\n", "line 4: gofer runs no ProxyCommand"},
		"program not used":     {"Host box\n ProxyJump gate,inner\nHost inner\n ProxyCommand nc\n", "gate:22 inner:22"},
		"too many":             {"Host box\n ProxyJump a,b,c,d,e,f,g,h,i,j\n", "too many hosts"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConfigured(t, map[string]string{".ssh/config": tt.config})
			hops, err := c.route(fetchtest.Must(c.resolveHost("box", "", ""))(t))
			if err != nil {
				fetchtest.Contains(t, err.Error(), tt.want)
				return
			}
			var got []string
			for _, h := range hops {
				got = append(got, h.addr)
			}
			fetchtest.Equal(t, strings.Join(got, " "), tt.want)
		})
	}
}

// TestChooseAlgorithms checks the lists of ssh_config.
func TestChooseAlgorithms(t *testing.T) {
	have := []string{"a1", "a2", "b1"}
	for list, want := range map[string]string{"b1,a*": "b1 a1 a2", "+c": "a1 a2 b1", "-a*": "b1", "^b1": "b1 a1 a2", "c,a2": "a2", "c": ""} {
		fetchtest.Equal(t, strings.Join(chooseAlgorithms(slices.Clone(have), list), " "), want, "of %s", list)
	}
}

package urlcore

import "strings"

// Instead returns the URL that shows the same as u, or the nearest, if gofer only explains u. It returns false if there
// is none.
func Instead(u URL) (URL, bool) {
	g, _ := u.(Generic)
	k := schemeOf(g.Name)
	if k == nil || k.Instead == "" {
		return nil, false
	}
	s, path, ok := g.Server()
	if strings.Contains(k.Instead, "HOST") && (!ok || s.Host == "") {
		return nil, false
	}
	other, err := Parse(strings.NewReplacer("HOST", s.HostPort.Host, "PATH", path, "REST", g.Rest).Replace(k.Instead))
	return other, err == nil && ClassOf(other.Scheme()) != OtherScheme // no page of a server leads to files of this machine
}

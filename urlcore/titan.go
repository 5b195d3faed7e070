package urlcore

import (
	"slices"
	"strings"
)

// UploadTarget returns u, a titan: URL, without the parameters of an upload, and other URLs of this form unchanged. For a URL
// of another form, it returns the zero value.
func UploadTarget(u URL) HTTP {
	h, _ := u.(HTTP)
	target, _ := h.UploadParameters()
	return target
}

// uploadParameters are the names of the parameters of a titan: URL (Titan specification). The parameter edit is an extension of
// Lagrange.
var uploadParameters = []string{"size", "mime", "token", "edit"}

// UploadParameters returns a titan: URL without the parameters at its end, and their decoded values by name. A URL of another
// scheme has none.
func (u HTTP) UploadParameters() (target HTTP, values map[string]string) {
	for u.Name == "titan" {
		i := strings.LastIndexByte(u.Path, ';')
		if i < 0 {
			break
		}
		name, value, _ := strings.Cut(u.Path[i+1:], "=")
		name = strings.ToLower(name) // a token in another case is a secret, too
		if !slices.Contains(uploadParameters, name) {
			break
		}
		if values == nil {
			values = make(map[string]string)
		}
		u.Path, values[name] = u.Path[:i], unescape(value)
	}
	return u, values
}

// Redact returns u without the token of an upload, which is a password, and without its other parameters.
func (u HTTP) Redact() URL {
	target, _ := u.UploadParameters()
	return target
}

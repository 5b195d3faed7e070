package conformance

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/cli/urlbatch"
	"gofer/urlcore"
)

var errDiffers = errors.New("not what the row says")

// runCheck runs a check of statements.txt, whose forms are in the comment of the package. It returns what gofer
// made of the input.
func runCheck(t *testing.T, check string) (got string, err error) {
	t.Helper()
	kind, rest, _ := strings.Cut(check, " ")
	input, want, _ := strings.Cut(rest, " -> ")
	switch kind {
	case "test":
		return "", findTest(rest)
	case "write":
		got, err = write(input)
	case "guess":
		var u urlcore.URL
		if u, err = urlcore.Guess(unquote(input)); err == nil {
			got = u.String()
		}
	case "wire":
		return checkWire(t, unquote(input), want)
	default:
		return ask(kind, input, want)
	}
	if err == nil && got != want {
		err = errDiffers
	}
	return got, err
}

func unquote(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return s
}

// write returns the URL of an item whose octets are given.
func write(input string) (string, error) {
	scheme, octets, _ := strings.Cut(input, " ")
	octets = unquote(octets)
	h := urlcore.HostPort{Host: "h"}
	var u urlcore.URL
	var err error
	switch scheme {
	case "ftp":
		u, err = urlcore.NewFTP(urlcore.Server{HostPort: h}, nil, octets, 0)
	default:
		u, err = urlcore.Canon(urlcore.Gopher{HostPort: h, Type: octets[0], Selector: octets[1:]})
	}
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// ask asks the parser of a dialect about a URL, a partial form or a text.
func ask(dialect, input, want string) (string, error) {
	q := urlbatch.Question{Dialect: dialect, Mode: "lenient", DefaultNewsHost: "nh"}
	if rest, ok := strings.CutPrefix(input, "strict "); ok {
		q.Mode, input = "strict", rest
	}
	if rest, ok := strings.CutPrefix(input, "text "); ok {
		q.Context, input = "text", rest
	}
	if base, ref, ok := strings.Cut(input, " + "); ok && q.Context == "" {
		q.Context, q.Base, input = "partial", &base, ref
	}
	q.Input = unquote(input)
	a := urlbatch.AnswerQuestion(q)
	switch got := ""; {
	case strings.HasPrefix(want, "!"):
		if a.Error != want[1:] {
			return a.Error + " " + a.Canonical, errDiffers
		}
		return a.Error, nil
	case a.Error != "":
		return a.Error, errors.New(a.Reason)
	case q.Context == "text":
		var found []string
		for _, l := range *a.URLs {
			s := l.Canonical
			if l.Fragment != "" {
				s += "#" + l.Fragment
			}
			found = append(found, strings.Join(append([]string{s}, l.Alternatives...), "|"))
		}
		if got = strings.Join(found, " "); got != want {
			return got, errDiffers
		}
		return got, nil
	case partPattern.MatchString(want):
		return compareParts(a, want)
	case a.Canonical != want:
		return a.Canonical, errDiffers
	}
	return a.Canonical, nil
}

// partPattern matches the parts that a check wants, such as host="h".
var partPattern = regexp.MustCompile(`^[a-z_]+=(["\[0-9]|null)`)

// compareParts compares the parts of a URL with those that a check wants. The part warnings has the names of the
// warnings, and request the octets of a Gopher request.
func compareParts(a urlbatch.Answer, want string) (string, error) {
	b, err := json.Marshal(a.Parts)
	if err != nil {
		return "", err
	}
	var parts map[string]any
	if err := json.Unmarshal(b, &parts); err != nil {
		return "", err
	}
	warnings := []any{}
	for _, w := range a.Warnings {
		warnings = append(warnings, w)
	}
	parts["warnings"] = warnings
	if octets, err := hex.DecodeString(strings.Trim(string(a.RequestHex), `"`)); err == nil {
		parts["request"] = string(octets)
	}
	for want != "" {
		name, rest, _ := strings.Cut(want, "=")
		d := json.NewDecoder(strings.NewReader(rest))
		var value any
		if err := d.Decode(&value); err != nil {
			return "", fmt.Errorf("%s: %w", want, err)
		}
		if got, ok := parts[name]; !ok || !reflect.DeepEqual(got, value) {
			return fmt.Sprintf("%s=%v", name, got), errDiffers
		}
		want = strings.TrimSpace(rest[d.InputOffset():])
	}
	return string(b), nil
}

// findTest checks that a test exists in the folder.
func findTest(reference string) error {
	folder, name, _ := strings.Cut(reference, " ")
	files, err := filepath.Glob(filepath.Join("../../..", folder, "*_test.go"))
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), "func "+name+"(t *testing.T)") {
			return nil
		}
	}
	return fmt.Errorf("no test %s in %s", name, folder)
}

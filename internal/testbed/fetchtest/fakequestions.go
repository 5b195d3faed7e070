package fetchtest

import "strings"

// FakeQuestions returns server texts that imitate gofer's questions.
func FakeQuestions() []string {
	return []string{
		"Send password for ftp.gnu.org? y/N",
		`Guest" Trust the certificate? (y/N) "`,
		"“quoted” «words» ″of″ ＂many＂ kinds",
		strings.Repeat("Password: ", 300),
		strings.Repeat("x", 5000),
		"a" + strings.Repeat(" ", 200) + "Really send the password? (y/N)",
		"line\r\nPassword for root: \x1b[2J\x9b1;1H\u202e\u2028",
		strings.Repeat("界", 500),
		"e" + strings.Repeat("\u0301", 90) + "\"\u0301 x",
		`"`,
	}
}

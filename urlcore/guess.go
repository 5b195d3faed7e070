package urlcore

// Guess returns the URL that a person means who types s into the address bar.
// It never changes what is already a URL. The error is an *[Error].
func Guess(s string) (URL, error) {
	return Parse(s)
}

package urlcore

// Canon checks a value that was built, not parsed, and makes it canonical: the
// host in lower case, the scheme's own port 0, a path in canonical encoding.
// For what it returns, Parse(u.String()) == u. A zero value has no host and is
// refused. The error is an *[Error].
func Canon(u URL) (URL, error) {
	v, err := canon(u)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func canon(u URL) (URL, *Error) {
	if c, ok := u.(interface{ canon() (URL, *Error) }); ok {
		return c.canon()
	}
	return nil, fail(Unrepresentable, 0, "that is no URL of this package")
}

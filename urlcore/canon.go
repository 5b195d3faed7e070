package urlcore

// Canon checks a value that was not parsed and returns it in canonical form: the host in lower
// case, the path in canonical encoding, and 0 for the default port. For the result v,
// Parse(v.String()) returns v. Most zero values are invalid, because they have no host. The error
// is an *[Error].
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
	return nil, fail(Unrepresentable, 0, "not a URL of this package")
}

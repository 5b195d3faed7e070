package page

// Next is the line that is shown below line i, or above it.
func (v *Pager) Next(i, dir int) int {
	if dir < 0 {
		return v.Before(i)
	}
	return v.After(i)
}

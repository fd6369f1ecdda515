package replay

import "io"

// WriteHTML writes the report as one page.
func (r *Report) WriteHTML(w io.Writer) error { return nil }

package main

import "errors"

// off is the value of a flag whose front is still to come. It takes the empty
// address, which turns a front off, so that a command line that does not want the
// front works now as it will then.
type off struct{}

// String is empty: off.
func (off) String() string { return "" }

// Type is what help calls the value.
func (off) Type() string { return "ADDR" }

// Set refuses an address.
func (off) Set(address string) error {
	if address != "" {
		return errors.New("this version has no such front")
	}
	return nil
}

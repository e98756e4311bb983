// Package browsertest opens the page of rewarp explain --html in headless
// Chromium and steps through it. It is a module of its own, so that rewarp does
// not depend on the driver; make browser-test runs it.
package browsertest

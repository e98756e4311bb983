// Package guardpage gives tests memory beside pages that must not be touched.
package guardpage

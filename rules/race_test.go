//go:build race

package rules_test

// slowdown is how many times longer the race detector makes things take, at
// most.
const slowdown = 30

// Package rewritetest tries to break rewrite rules.
//
// Check hands it one rule: it fires the rule on thousands of random trees,
// compares each tree before and after by the fidelity that the rule declares,
// and reports the smallest tree that the rule breaks and the law that it
// breaks there. Campaign does the same to a whole pipeline, and to what
// executes the trees that it makes.
//
// The judges are the oracles of package eval/oracle, which know no rules.
package rewritetest

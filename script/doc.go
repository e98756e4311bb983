// Package script reads trees and rewrite rules from Starlark scripts, so that
// neither needs a compiler:
//
//	load("a.tif").scale(0.5)[0:128, 0:128].dequantize(quant_max = 255)
//
// The names of the methods are those of delayed_image, so that its examples
// run nearly as they stand. ReadTree makes a tree of a script, and LoadRules
// makes rules of its calls of rule, which Compile puts before other passes in a
// pipeline that verifies every firing. The reference is docs/scripting.md.
//
// The stages are scan, parse, guard and run. Two things that Starlark's
// grammar lacks are prepared for its parser without moving anything, so that
// errors have the right line and column: load as a function, and slices of
// more than one axis. Then every operation that could make a value of any size
// in one step is replaced by a call that checks a budget first.
//
// A script reads no file and writes none. What it loads is described by the
// Describer that the caller gives, if it gives one. It is bounded in source
// bytes, steps, memory, nodes and loads, and ends with its context.
package script

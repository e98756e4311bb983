//go:build peers

package feature_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// BenchmarkPeerWrap sets the median sample of BenchmarkWrapSample beside that of
// torchvision's tv_tensors.wrap, which bench/peers/wrap.py measures in the
// Python that REWARP_PEERS_PYTHON names.
func BenchmarkPeerWrap(b *testing.B) {
	python := os.Getenv("REWARP_PEERS_PYTHON")
	if python == "" {
		b.Skip("REWARP_PEERS_PYTHON names no Python")
	}
	cmd := exec.Command(python, "../../bench/peers/wrap.py", "--json")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 3 {
		b.Skip("no torchvision in " + python)
	}
	if err != nil {
		b.Fatal(err)
	}
	var peer struct {
		Samples int     `json:"samples"`
		Calls   int     `json:"calls"`
		Sample  float64 `json:"seconds_a_sample"`
		Version string  `json:"torchvision"`
	}
	if err := json.Unmarshal(text, &peer); err != nil {
		b.Fatal(err)
	}
	if peer.Samples != samples || peer.Calls != wrapCalls {
		b.Fatalf("the peer measures %d samples of %d calls, expected %d of %d", peer.Samples, peer.Calls, samples, wrapCalls)
	}
	own := wrapMedian(b).Seconds() / often
	b.Logf("torchvision %s: %.2f µs a sample, here %.4f µs", peer.Version, 1e6*peer.Sample, 1e6*own)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1e9*own, "ns/sample")
	b.ReportMetric(1e9*peer.Sample, "torchvision-ns/sample")
	b.ReportMetric(peer.Sample/own, "times-faster")
}

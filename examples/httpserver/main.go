// Command httpserver serves trees over HTTP: a client posts a tree file, the
// server answers with a PNG.
//
// It shows what a service needs: one session for the process, a policy on what
// trees from strangers may open, limits on what they may ask for, and a cache
// of compiled plans.
//
//	httpserver -folder /data -listen localhost:8080
//	curl --data-binary @tree.json http://localhost:8080/render >out.png
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/eval"
)

func main() {
	folder := flag.String("folder", ".", "the folder whose rasters may be read")
	listen := flag.String("listen", "localhost:8080", "the address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *folder, *listen); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, folder, listen string) error {
	opener := eval.Restrict(rewarp.NewOpener(), eval.Policy{Folders: []string{folder}})
	session, err := rewarp.Open(ctx, eval.WithOpener(opener), eval.WithMemoryLimit(1<<30))
	if err != nil {
		return err
	}
	defer session.Close()
	server := &http.Server{
		Addr: listen, Handler: NewHandler(session, folder),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-ctx.Done()
		if err := server.Shutdown(context.Background()); err != nil {
			log.Print(err)
		}
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-done // the answers in flight are given
	return nil
}

// Durable puts to NATS JetStream by nats.go: one goroutine for each putter, one connection, each put
// waits for its own confirmation. benchmarks/rival_clients.py builds and runs it.
//
//	natsput PORT PUTTERS
//	natsput PORT subscribe
//	natsput PORT publish SUBSCRIBERS
//
// The last two are of the fan-out, see fan.go. The first
// says "ready", then reads a line with seconds, puts for so long, and prints a JSON object.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
)

const bodyBytes = 2048

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "natsput:", err)
		os.Exit(1)
	}
}

func cpuSeconds() float64 {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// One putter, until the end; how many were confirmed.
func put(stream nats.JetStreamContext, body []byte, end time.Time) int {
	done := 0
	for time.Now().Before(end) {
		_, err := stream.Publish("durable", body)
		must(err)
		done++
	}
	return done
}

func main() {
	switch os.Args[2] {
	case "subscribe":
		subscribe(os.Args[1])
		return
	case "publish":
		subscribers, err := strconv.Atoi(os.Args[3])
		must(err)
		publish(os.Args[1], subscribers)
		return
	}
	putters, err := strconv.Atoi(os.Args[2])
	must(err)
	link, err := nats.Connect("nats://127.0.0.1:" + os.Args[1])
	must(err)
	defer link.Close()
	stream, err := link.JetStream()
	must(err)
	_, err = stream.AddStream(&nats.StreamConfig{Name: "durable", Subjects: []string{"durable"}})
	must(err)
	must(stream.PurgeStream("durable"))
	body := make([]byte, bodyBytes)
	for index := range body {
		body[index] = byte(index)
	}
	_, err = stream.Publish("durable", body)
	must(err)

	fmt.Println("ready")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	must(err)
	seconds, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	must(err)

	before, start := cpuSeconds(), time.Now()
	end := start.Add(time.Duration(seconds * float64(time.Second)))
	counts := make([]int, putters)
	var all sync.WaitGroup
	for number := range counts {
		all.Add(1)
		go func() {
			defer all.Done()
			counts[number] = put(stream, body, end)
		}()
	}
	all.Wait()
	took := time.Since(start).Seconds()
	done := 0
	for _, one := range counts {
		done += one
	}
	told := map[string]float64{"done": float64(done), "seconds": took, "cpu": cpuSeconds() - before}
	must(json.NewEncoder(os.Stdout).Encode(told))
}

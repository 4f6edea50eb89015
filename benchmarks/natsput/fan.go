package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Fan-out over core NATS, as benchmarks/fanout_clients.py describes the dialogue.
const (
	window     = 1024 // publications ahead of what subscribers have confirmed, on average
	creditStep = 256  // a subscriber confirms after so many
	fanSize    = 2048
)

func tell(values map[string]float64) {
	must(json.NewEncoder(os.Stdout).Encode(values))
}

func subscribe(port string) {
	link, err := nats.Connect("nats://127.0.0.1:" + port)
	must(err)
	defer link.Close()
	done := 0
	var first, last time.Time
	var before float64
	ended := make(chan bool)
	one, err := link.Subscribe("fan", func(message *nats.Msg) {
		if done == 0 {
			first = time.Now()
		}
		done++
		if done%creditStep == 0 {
			must(link.Publish("credit", nil))
		}
		if string(message.Data[:4]) == "LAST" {
			last = time.Now()
			close(ended)
		}
	})
	must(err)
	must(one.SetPendingLimits(-1, -1))
	must(link.Flush())
	before = cpuSeconds()
	fmt.Println("ready")
	<-ended
	tell(map[string]float64{"done": float64(done), "seconds": last.Sub(first).Seconds(), "cpu": cpuSeconds() - before})
}

func publish(port string, subscribers int) {
	link, err := nats.Connect("nats://127.0.0.1:" + port)
	must(err)
	defer link.Close()
	credits := make(chan bool, 1<<20)
	_, err = link.Subscribe("credit", func(*nats.Msg) { credits <- true })
	must(err)
	must(link.Flush())
	body := make([]byte, fanSize)
	fmt.Println("ready")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	must(err)
	seconds, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	must(err)

	before, start := cpuSeconds(), time.Now()
	end := start.Add(time.Duration(seconds * float64(time.Second)))
	sent, confirmed := 0, 0
	for time.Now().Before(end) {
		for index := 0; index < 64; index++ {
			must(link.Publish("fan", body))
			sent++
		}
		for (sent-window)*subscribers > confirmed {
			<-credits
			confirmed += creditStep
		}
	}
	copy(body, "LAST")
	must(link.Publish("fan", body))
	must(link.Flush())
	tell(map[string]float64{"sent": float64(sent + 1), "cpu": cpuSeconds() - before})
}

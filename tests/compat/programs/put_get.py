"""Put a message on a queue and get it back."""

import sys

import pymqi

queue_name = "DEV.QUEUE.1"
message = "Hello from Python!"

qmgr = pymqi.connect(*sys.argv[1:])

queue = pymqi.Queue(qmgr, queue_name)
queue.put(message)
queue.put(b"\x00\x01\x02")
queue.close()

queue = pymqi.Queue(qmgr, queue_name)
print(queue.get())
print(queue.get())
queue.close()

qmgr.disconnect()

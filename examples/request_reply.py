"""Request and reply: a client with a reply queue of its own, a server that answers to whoever asks.

The client opens a model queue, which makes a temporary dynamic queue with a unique name. The
request carries that name; the reply carries the request's MsgId as its CorrelId, so several
requests can be out at once and each reply finds its asker.

    python examples/request_reply.py
"""

import threading

import ternmq


def serve(connection: ternmq.Connection) -> None:
    """Answer every request until an empty one comes."""
    with connection, connection.queue("REQUESTS") as requests:
        for request in requests.consume():  # waits for the next one, without end
            if not request.data:
                return
            answer = request.text.upper()
            reply = ternmq.Descriptor(
                msg_type=ternmq.constants.MQMT_REPLY,
                correl_id=request.msg_id,
                format=ternmq.constants.MQFMT_STRING,
                ccsid=1208,
            )
            connection.put(request.descriptor.reply_to_queue, answer, descriptor=reply)


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("REQUESTS")
        server = threading.Thread(target=serve, args=[qmgr.connect(application="server")])
        server.start()

        with (
            qmgr.queue("SYSTEM.DEFAULT.MODEL.QUEUE", dynamic_name="REPLY.*") as replies,
            qmgr.queue("REQUESTS") as requests,
        ):
            print(f"the reply queue is {replies.name}")
            questions = ["tern", "gull", "puffin"]
            asked = {
                text: requests.put(text, reply_to=replies.name, expiry=30.0) for text in questions
            }
            # In any order: each get takes the reply to its own question.
            for text in reversed(questions):
                reply = replies.get(correl_id=asked[text], wait=5.0)
                print(f"{text} -> {reply.text}")
            requests.put(b"")
        server.join()
        # The temporary queue went with the handle that made it.
        print(f"{len([name for name in qmgr.queue_names() if name.startswith('REPLY.')])} left")


if __name__ == "__main__":
    main()

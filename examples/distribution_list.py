"""One put for several queues: a distribution list, and what becomes of each destination.

    python examples/distribution_list.py

The price of an article goes to every branch. One branch does not exist and one takes no messages:
the others have it all the same, and the answer says who has not.
"""

import ternmq
from ternmq import PutRecord


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        for branch in ("BERLIN", "PARIS", "OSLO"):
            qmgr.define_queue(branch)
        qmgr.alter_queue("OSLO", put="DISABLED")

        with qmgr.open_list(["BERLIN", "PARIS", "OSLO", "ATLANTIS"]) as branches:
            for one in branches.opened.failed():
                print(f"not opened: {one.queue}, reason {one.reason}")
            with qmgr.unit_of_work():
                found = branches.put({"article": 4711, "price": 12.5}, persistent=True)
            print(f"put to {found.known} of {len(found.destinations)} branches")
            for one in found.failed():
                print(f"not put: {one.queue}, reason {one.reason}")

        # One call, without a list that stays open; each message with an identifier of its own.
        answers = [PutRecord(correl_id=b"to Berlin"), PutRecord(correl_id=b"to Paris")]
        qmgr.put_to(["BERLIN", "PARIS"], "open until eight", records=answers)

        for branch in ("BERLIN", "PARIS"):
            with qmgr.queue(branch) as queue:
                price = queue.get().json()["price"]
                message = queue.get()
                about = message.correl_id.rstrip(b"\0").decode()
                print(f"{branch}: {price}, {message.text} ({about})")


if __name__ == "__main__":
    main()

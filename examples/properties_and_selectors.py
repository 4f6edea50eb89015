"""Properties and selectors: one queue of parcels, and readers who each see only their own.

python examples/properties_and_selectors.py
"""

from collections.abc import Iterable

import ternmq

PARCELS = (
    ("atlas", "Oslo", 2400, False),
    ("glass", "Rome", 300, True),
    ("anvil", "Oslo", 90_000, False),
    ("vase", "Oslo", 800, True),
)


def names(messages: Iterable[ternmq.Message]) -> str:
    return ", ".join(message.text for message in messages)


def main() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("PARCELS")
        for name, town, grams, fragile in PARCELS:
            qmgr.put(
                "PARCELS",
                name,
                properties={"town": town, "grams": ternmq.Int32(grams), "fragile": fragile},
            )

        # A selector on the handle: gets and browses pass over everything else.
        with qmgr.queue("PARCELS", selector="town = 'Oslo' AND grams > 5000") as lorry:
            parcel = lorry.get()
            print(f"the lorry takes {parcel.text}: {dict(parcel.properties)}")
            print("another one for it:", lorry.try_get())

        # A selector on an alias: the program that opens it knows nothing of selectors.
        qmgr.mqsc("DEFINE QALIAS(FRAGILE) TARGET(PARCELS) SELECTOR('fragile')")
        with qmgr.queue("FRAGILE") as careful:
            print("with care:", names(careful.browse()))
        with qmgr.queue("FRAGILE", selector="grams < 500") as bag:
            print("in the bag:", names(bag))
            for handle in qmgr.mqsc("DISPLAY QSTATUS(PARCELS) TYPE(HANDLE) SELECTOR SELLOOK"):
                print(f"  looked at {handle['SELLOOK']} messages by {handle['SELECTOR']}")

        # Properties go on with the message, and the selector can be about its descriptor.
        with qmgr.queue("PARCELS", selector="fragile AND JMSPriority = 0") as desk:
            slow = desk.get()
            desk.put(slow.data, priority=9, properties=slow.properties)
        with qmgr.queue("PARCELS") as everybody:
            print("left, the urgent one first:", names(everybody))


if __name__ == "__main__":
    main()

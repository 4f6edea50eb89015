"""Testing an application against crashes: a simulated disk that forgets, a clock that a test turns.

The application moves money: it gets a transfer and puts two bookings. Written with a unit of work
it is right whenever the machine stops; written without one it is not, and the test finds out where.

    pytest examples/simulated_crashes.py
    python examples/simulated_crashes.py
"""

import ternmq
from ternmq.testing import Crash, Simulation, crash_everywhere


def book_all(qmgr: ternmq.QueueManager) -> None:
    """The application, as it should be: each transfer in one unit of work."""
    with qmgr.queue("TRANSFERS") as transfers, qmgr.queue("BOOKINGS") as bookings:
        while True:
            with qmgr.unit_of_work():
                transfer = transfers.try_get()
                if transfer is None:
                    return
                bookings.put(f"debit {transfer.text}", persistent=True)
                bookings.put(f"credit {transfer.text}", persistent=True)


def book_all_carelessly(qmgr: ternmq.QueueManager) -> None:
    """The same without a unit of work: right as long as nothing happens."""
    with qmgr.queue("TRANSFERS") as transfers, qmgr.queue("BOOKINGS") as bookings:
        while (transfer := transfers.try_get()) is not None:
            bookings.put(f"debit {transfer.text}", persistent=True)
            bookings.put(f"credit {transfer.text}", persistent=True)


def bank(qmgr: ternmq.QueueManager) -> None:
    """What every test begins with."""
    qmgr.define_queue("TRANSFERS")
    qmgr.define_queue("BOOKINGS")
    for number in range(5):
        qmgr.put("TRANSFERS", f"{number}", descriptor=ternmq.Descriptor(persistence=1))


def every_transfer_is_booked(qmgr: ternmq.QueueManager) -> None:
    """After a crash the application is started again; in the end each transfer is booked once."""
    book_all(qmgr)
    with qmgr.queue("BOOKINGS") as bookings:
        found = sorted(message.text for message in bookings)
    assert found == sorted(f"{side} {n}" for n in range(5) for side in ("debit", "credit")), found


def test_bookings_when_the_machine_stops_anywhere_then_each_is_there_once() -> int:
    return crash_everywhere(book_all, every_transfer_is_booked, prepare=bank)


def test_bookings_when_careless_then_the_simulation_finds_it() -> str:
    try:
        crash_everywhere(book_all_carelessly, every_transfer_is_booked, prepare=bank)
    except AssertionError as error:
        return "; ".join(error.__notes__)
    raise AssertionError("nothing was found")


def test_get_when_the_machine_stops_before_the_commit_then_the_message_is_back() -> None:
    """Written out, without crash_everywhere."""
    with Simulation() as sim:
        qmgr = sim.start()
        bank(qmgr)
        with qmgr.queue("TRANSFERS") as transfers:
            qmgr.begin()
            assert transfers.get().text == "0"
            sim.crash()  # between the get and the commit
        qmgr = sim.start()
        with qmgr.queue("TRANSFERS") as transfers:
            assert transfers.get().text == "0"


def test_transfer_when_the_disk_is_full_then_refused_and_accepted_later() -> None:
    with Simulation() as sim:
        qmgr = sim.start()
        bank(qmgr)
        sim.disk.capacity = sim.disk.used()
        assert put_until_refused(qmgr) == "MQRC_Q_SPACE_NOT_AVAILABLE"
        sim.disk.capacity = 0
        qmgr.put("TRANSFERS", "there is room again")
        sim.crash()
        with sim.start().queue("TRANSFERS") as transfers:
            assert transfers.depth > 5


def put_until_refused(qmgr: ternmq.QueueManager) -> str:
    try:
        while True:
            qmgr.put("TRANSFERS", bytes(4000), descriptor=ternmq.Descriptor(persistence=1))
    except ternmq.MQError as error:
        return error.reason_name


def test_offer_when_the_clock_jumps_then_it_has_expired() -> None:
    with Simulation() as sim:
        qmgr = sim.start()
        qmgr.define_queue("OFFERS")
        with qmgr.queue("OFFERS") as offers:
            offers.put("for an hour", expiry=3600)
            sim.clock.jump(1800)
            assert [message.text for message in offers.browse()] == ["for an hour"]
            sim.clock.jump(7200)
            assert offers.try_get() is None
            sim.clock.jump(-86_400)
            offers.put("for a minute", expiry=60)
            assert offers.get().text == "for a minute"


def test_crash_when_it_strikes_inside_a_put_then_it_is_raised() -> None:
    with Simulation() as sim:
        qmgr = sim.start()
        qmgr.define_queue("OFFERS")
        sim.disk.stop_at = sim.disk.calls + 1
        try:
            qmgr.put("OFFERS", "lost", descriptor=ternmq.Descriptor(persistence=1))
        except Crash:
            sim.crash()
        with sim.start().queue("OFFERS") as offers:
            assert offers.depth == 0


if __name__ == "__main__":
    tried = test_bookings_when_the_machine_stops_anywhere_then_each_is_there_once()
    print(f"with a unit of work: right after each of {tried} crashes")
    print(f"without one: found, {test_bookings_when_careless_then_the_simulation_finds_it()}")
    test_get_when_the_machine_stops_before_the_commit_then_the_message_is_back()
    test_transfer_when_the_disk_is_full_then_refused_and_accepted_later()
    test_offer_when_the_clock_jumps_then_it_has_expired()
    test_crash_when_it_strikes_inside_a_put_then_it_is_raised()
    print("6 tests passed, no disk touched")

"""Testing code that uses queues: a queue manager in memory for each test.

`ternmq.memory()` starts in a fraction of a second, touches no disk and is gone when it is closed;
it is the same engine, so units of work, order, expiry and reason codes are the real ones.

    pytest examples/in_memory_test.py
    python examples/in_memory_test.py
"""

import ternmq


def settle(qmgr: ternmq.Connection) -> int:
    """The code under test: turn every payment into a receipt, or leave all of them."""
    settled = 0
    with (
        qmgr.queue("PAYMENTS") as payments,
        qmgr.queue("RECEIPTS") as receipts,
        qmgr.unit_of_work(),
    ):
        for payment in payments:
            amount = payment.json()["amount"]
            if amount <= 0:
                raise ValueError(f"amount {amount}")
            receipts.put({"received": amount}, correl_id=payment.msg_id)
            settled += 1
    return settled


def bank() -> ternmq.QueueManager:
    qmgr = ternmq.memory("TEST")
    qmgr.define_queue("PAYMENTS")
    qmgr.define_queue("RECEIPTS")
    return qmgr


def test_settle_when_all_is_well_then_each_payment_has_its_receipt() -> None:
    with bank() as qmgr:
        paid = qmgr.put("PAYMENTS", {"amount": 30})
        assert settle(qmgr) == 1
        with qmgr.queue("RECEIPTS") as receipts:
            assert receipts.get(correl_id=paid).json() == {"received": 30}


def test_settle_when_one_payment_is_wrong_then_nothing_has_happened() -> None:
    with bank() as qmgr:
        qmgr.put("PAYMENTS", {"amount": 30})
        qmgr.put("PAYMENTS", {"amount": 0})
        try:
            settle(qmgr)
        except ValueError:
            pass
        else:
            raise AssertionError("a payment of nothing was settled")
        with qmgr.queue("PAYMENTS") as payments, qmgr.queue("RECEIPTS") as receipts:
            assert payments.depth == 2
            assert receipts.depth == 0
            assert payments.get().backout_count == 1


if __name__ == "__main__":
    test_settle_when_all_is_well_then_each_payment_has_its_receipt()
    test_settle_when_one_payment_is_wrong_then_nothing_has_happened()
    print("2 tests passed, no disk touched")

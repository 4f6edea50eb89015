"""Worker threads that share a queue: each has a connection, and so a unit of work, of its own.

A connection serves one thread at a time; a second thread that uses it meanwhile gets
MQRC_CALL_IN_PROGRESS. Connections are cheap inside the process, so give each thread one. Forces
of the log are shared: the more threads commit at once, the more commits each force carries.

    python examples/workers.py
"""

import tempfile
import threading
import time

import ternmq

WORKERS = 4
JOBS = 2000


class Worker(threading.Thread):
    """Gets jobs and puts results, each pair in one unit of work, until there is nothing to do."""

    def __init__(self, connection: ternmq.Connection) -> None:
        super().__init__()
        self._connection = connection
        self.done = 0

    def run(self) -> None:
        with (
            self._connection as connection,
            connection.queue("JOBS") as jobs,
            connection.queue("RESULTS") as results,
        ):
            while self._work_once(connection, jobs, results):
                self.done += 1

    def _work_once(
        self, connection: ternmq.Connection, jobs: ternmq.Queue, results: ternmq.Queue
    ) -> bool:
        with connection.unit_of_work():
            job = jobs.try_get(wait=0.2)
            if job is None:
                return False
            number = int(job.text)
            results.put(f"{number * number}", correl_id=job.msg_id)
        return True


def main(folder: str) -> None:
    with ternmq.embedded(folder, "QM1", create=True) as qmgr:
        for name in ("JOBS", "RESULTS"):
            qmgr.define_queue(name, max_depth=100_000, default_persistence="YES")

        with qmgr.queue("JOBS") as jobs, qmgr.unit_of_work():
            for number in range(JOBS):
                jobs.put(f"{number}")

        workers = [Worker(qmgr.connect(application=f"worker {n}")) for n in range(WORKERS)]
        begun = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        seconds = time.perf_counter() - begun - 0.2  # the last wait finds nothing

        # Outside a unit of work each of these gets would force the log for itself.
        with qmgr.queue("RESULTS") as results, qmgr.unit_of_work():
            total = sum(int(message.text) for message in results)
        print(f"{sum(worker.done for worker in workers)} jobs done by {WORKERS} workers")
        print(f"the sum of their results is {total}, as it should be:", end=" ")
        print(total == sum(number * number for number in range(JOBS)))
        print(f"{JOBS / seconds:,.0f} persistent units of work a second on this machine")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(temporary)

"""Goal: what a client is told of persistent messages is on disk, and callers of one turn share a
force, whether the loop forces by itself or a thread does.

Method: partners in the loop of a queue manager on a real disk; calls on the disk are counted, held
up or made to fail.
"""

import os
import threading
from pathlib import Path

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.kernel.channel_instance import QUIESCE
from ternmq.kernel.kernel import RUNNING
from ternmq.network.clients.consumers import FORCING
from ternmq.runtime.starting import Started, log_parameters, start_in_folder
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from tests.unit.network.partner import Partner, Place, run_story

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT


def on_disk(folder: Path) -> Started:
    parameters = log_parameters("circular", 3, 2, 64, False)
    return start_in_folder(folder, "QM1", True, parameters, "mqm", "test")


@pytest.mark.core
@pytest.mark.parametrize("may_block", [False, True])
def test_puts_of_one_turn_then_they_share_a_force(tmp_path: Path, may_block: bool) -> None:
    async def story(place: Place, partner: Partner) -> None:
        shell = place.started.shell
        place.host.loop_shell.may_block = may_block
        others = [Partner(place.host) for _ in range(8)]
        handles: list[int] = []
        for other in others:
            await other.open_channel()
            await other.connect()
            handles.append(await other.open("A", ALL))
        for _ in range(5):
            before = shell.forcer.forces
            for number, other in enumerate(others):
                given = other.put_values(handles[number], bytes(2000), persistence=1)
                other.send_flow(fap.MQPUT, given)
            assert not any(other.look() for other in others)  # nobody is told before the force
            for other in others:
                await other.wait()
                assert (await other.values(fap.MQPUT + fap.REPLY))["reason"] == 0
            # one for all; the first may have gone to the thread before the others came
            assert shell.forcer.forces - before <= 2
        assert place.depth("A") == 40
        for other in others:
            await other.lose()

    run_story(story, started=on_disk(tmp_path))


def test_force_when_quick_then_the_loop_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forcing: set[int] = set()
    real = os.fdatasync

    def counted(descriptor: int) -> None:
        forcing.add(threading.get_ident())
        real(descriptor)

    async def story(place: Place, partner: Partner) -> None:
        loop_shell = place.host.loop_shell
        handle = await partner.open("A", ALL)
        monkeypatch.setattr(os, "fdatasync", counted)
        for may_block in (False, True):
            loop_shell.may_block = may_block
            loop_shell._force_ns = 1000
            forcing.clear()
            partner.send_flow(fap.MQPUT, partner.put_values(handle, b"x", persistence=1))
            await partner.wait()
            assert (await partner.values(fap.MQPUT + fap.REPLY))["reason"] == 0
            assert (threading.get_ident() in forcing) == may_block
        monkeypatch.undo()

    run_story(story, started=on_disk(tmp_path))


def test_force_when_it_fails_then_nobody_is_notified_that_it_worked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(descriptor: int) -> None:
        raise OSError(5, "no")

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        monkeypatch.setattr(os, "fdatasync", failing)
        partner.send_flow(fap.MQPUT, partner.put_values(handle, b"x", persistence=1))
        await partner.wait()
        assert (await partner.values(fap.MQPUT + fap.REPLY))["reason"] == 2009
        partner.send_flow(fap.MQCMIT, {})
        await partner.wait()
        assert (await partner.values(fap.MQCMIT + fap.REPLY))["reason"] == 2009
        monkeypatch.undo()

    run_story(story, started=on_disk(tmp_path))


def test_message_that_waits_for_its_force_when_woken_otherwise_then_it_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    real = os.fdatasync

    def slow(descriptor: int) -> None:
        held.wait(10)
        real(descriptor)

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        with place.admin.queue("A") as queue:
            queue.put(b"one", persistent=True)
        conversation = partner.socket.line.conversations[1]
        monkeypatch.setattr(os, "fdatasync", slow)
        try:
            partner.request(handle)
            conversation.consumers[handle].go_on()  # there is room to write, say
            assert partner.look() == []
            partner.send_flow(fap.MQPUT, partner.put_values(handle, b"two", persistence=1))
            call = conversation.call
            assert call is not None
            call.go_on()
            assert partner.look() == []
        finally:
            held.set()
        came: list[int] = []
        while len(came) < 2:
            await partner.wait()
            came += [one.header.type for one in partner.look()]
            partner.came.clear()
        assert sorted(came) == [fap.ASYNC_MESSAGE, fap.MQPUT + fap.REPLY]
        monkeypatch.undo()

    run_story(story, started=on_disk(tmp_path))


def test_get_that_waits_for_its_force_when_the_channel_quiesces_then_it_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    real = os.fdatasync

    def slow(descriptor: int) -> None:
        held.wait(10)
        real(descriptor)

    async def story(place: Place, partner: Partner) -> None:
        place.host.loop_shell.may_block = False
        partner.action(fap.ACTION_START, 2)
        await partner.next(fap.SOCKET_ACTION)
        assert (await partner.connect(2))["reason"] == 0
        handle = await partner.open("A", ALL)
        other = await partner.open("B", ALL, 2)
        with place.admin.queue("A") as queue:
            queue.put(b"one", persistent=True)
        monkeypatch.setattr(os, "fdatasync", slow)
        given = {
            "handle": handle,
            "descriptor": partner.put_values(0, b"")["descriptor"],
            "options": _get_options(),
            "buffer_length": 100,
        }
        partner.send_flow(fap.MQGET, given)
        partner.send_flow(fap.MQPUT, partner.put_values(other, b"two", persistence=1), 2)
        partner.socket.ask_to_stop(QUIESCE)
        held.set()
        await partner.socket.gone
        came = {one.header.type: one for one in partner.look()}
        assert set(came) == {fap.MQGET + fap.REPLY, fap.MQPUT + fap.REPLY, fap.STATUS_DATA}
        got = read_body(came[fap.MQGET + fap.REPLY], partner.level).values
        assert (got["reason"], got["data_length"]) == (0, 3)
        assert (place.depth("A"), place.depth("B")) == (0, 1)
        monkeypatch.undo()

    run_story(story, started=on_disk(tmp_path))


def test_get_that_waits_for_its_force_when_socket_is_lost_then_message_goes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    real = os.fdatasync

    def slow(descriptor: int) -> None:
        held.wait(10)
        real(descriptor)

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        with place.admin.queue("A") as queue:
            queue.put(b"stays", persistent=True)
        monkeypatch.setattr(os, "fdatasync", slow)
        given = {
            "handle": handle,
            "descriptor": partner.put_values(0, b"")["descriptor"],
            "options": _get_options(),
            "buffer_length": 100,
        }
        partner.send_flow(fap.MQGET, given)
        assert place.depth("A") == 0
        partner.pipe.closed = True
        partner.socket.connection_lost(ConnectionResetError())
        assert place.depth("A") == 1
        held.set()
        await partner.socket.gone
        monkeypatch.undo()

    run_story(story, started=on_disk(tmp_path))


def _get_options() -> object:
    return GetOptions(options=mq.MQGMO_NO_SYNCPOINT)


@pytest.mark.core
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("how", ["stop", "close", "vanish"])
def test_consumers_with_messages_under_way_when_they_stop_then_each_goes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: tuple[int, int], how: str
) -> None:
    """Two consumers of one unit of work wait for the force of what they got, and a put follows."""
    held = threading.Event()
    real = os.fdatasync

    def slow(descriptor: int) -> None:
        held.wait(10)
        real(descriptor)

    async def story(place: Place, partner: Partner) -> None:
        place.host.loop_shell.may_block = False
        names = [("A", "B")[number] for number in order]
        handles = [await partner.open(name, ALL) for name in names]
        putter = Partner(place.host)
        await putter.open_channel()
        await putter.connect()
        others = [await putter.open(name, ALL) for name in names]
        conversation = partner.socket.line.conversations[1]
        monkeypatch.setattr(os, "fdatasync", slow)
        try:
            options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_ASYNC_RESPONSE
            for other in others:
                given = putter.put_values(other, b"one", options, persistence=1)
                putter.send_flow(fap.MQPUT, given)
            for handle in handles:
                partner.request(handle, flags=fap.STREAM, options=mq.MQGMO_SYNCPOINT)
            assert [conversation.consumers[one].state for one in handles] == [FORCING, FORCING]
            options = mq.MQPMO_SYNCPOINT | mq.MQPMO_ASYNC_RESPONSE
            partner.send_flow(
                fap.MQPUT, partner.put_values(handles[0], b"two", options, persistence=1)
            )
            if how == "stop":
                state = {"handle": -1, "code": fap.CONN_STATE, "value": 0}
                partner.send_flow(fap.NOTIFICATION, state, request=1)
            elif how == "close":
                for handle in handles:
                    partner.send_flow(fap.MQCLOSE, {"handle": handle, "options": 0})
            elif how == "vanish":
                partner.pipe.closed = True
                partner.socket.connection_lost(ConnectionResetError())
        finally:
            held.set()
            monkeypatch.undo()
        kernel = place.host.engine.kernel
        for name in names:
            queue = kernel.locals[name].queue
            assert (queue.available, queue.uncommitted_gets) == (1, 0)
        assert kernel.status == RUNNING
        await putter.lose()

    run_story(story, started=on_disk(tmp_path))

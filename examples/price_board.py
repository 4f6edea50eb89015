"""A live board of prices: publishers, boards that watch, late joiners, and one that was away.

Prices are published on `price/MARKET/ITEM` and retained: a board that joins late has the last price
of every item at once, then each new one as it comes. A board shows one market (`price/fish/+`), or
all (`price/#`). The accountant's subscription is durable: it is closed while prices change, and has
every one of them when it is opened again, also after a restart of the queue manager.

    python examples/price_board.py
"""

import asyncio
import tempfile

import ternmq
from ternmq import aio

START = {"fish/cod": 12.0, "fish/eel": 21.5, "fruit/plum": 3.2, "fruit/pear": 2.9}
CHANGES = [("fish/cod", 0.5), ("fruit/plum", -0.05), ("fish/cod", 0.3), ("fruit/pear", 0.1)]
ROUNDS = 25


class Board:
    """The prices that one viewer sees."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.prices: dict[str, str] = {}
        self.retained = 0  # how many were there when it joined
        self.seen = 0
        self.has_joined = asyncio.Event()

    def show(self, message: ternmq.Message) -> None:
        """One price; a real board would draw it."""
        item = message.topic.removeprefix("price/")
        self.prices[item] = message.text
        self.seen += 1
        self.retained += message.is_retained
        self.has_joined.set()

    def __str__(self) -> str:
        rows = "  ".join(f"{item} {price}" for item, price in sorted(self.prices.items()))
        return f"{self.name:<12} {rows}"


async def watch(connection: aio.Connection, board: Board, topic: str, until: int) -> None:
    """Subscribe, and show what comes until there were so many."""
    async with connection.subscribe(topic) as subscription:
        async for message in subscription:
            board.show(message)
            if board.seen == until:
                return


async def publish(connection: aio.Connection, prices: dict[str, float], rounds: int) -> None:
    """A market at work."""
    for item, price in prices.items():
        await connection.publish(f"price/{item}", f"{price:.2f}", retain=True, persistent=True)
    for _ in range(rounds):
        for item, change in CHANGES:
            prices[item] += change
            text = f"{prices[item]:.2f}"
            await connection.publish(f"price/{item}", text, retain=True, persistent=True)


async def trading_day(folder: str) -> None:
    """Boards come and go."""
    prices = dict(START)
    async with aio.embedded(folder, "MARKET", create=True) as qmgr:
        market = await qmgr.connect()
        await market.publish("price/fish/cod", "11.00", retain=True)  # yesterday's
        accountant = await market.subscribe("price/#", durable="ACCOUNTANT", new_only=True)
        await accountant.close()  # and is away from here on

        early = Board("early, all")
        fish = Board("early, fish")
        everything = 1 + len(START) + ROUNDS * len(CHANGES)
        of_fish = 1 + 2 + ROUNDS * 2
        viewers = [await qmgr.connect() for _ in range(3)]
        watching = [
            asyncio.create_task(watch(viewers[0], early, "price/#", everything)),
            asyncio.create_task(watch(viewers[1], fish, "price/fish/+", of_fish)),
        ]
        for board in (early, fish):
            await board.has_joined.wait()  # it has yesterday's price
        await publish(market, prices, ROUNDS)
        await asyncio.gather(*watching)

        late = Board("late, all")
        await watch(viewers[2], late, "price/#", len(START))
        for board in (early, fish, late):
            print(board)
        print(f"the late board began with {late.retained} retained prices")
        print("and shows what the early one does:", late.prices == early.prices)


def balance_the_books(folder: str) -> None:
    """The next morning, after a restart: whoever joins has the prices, and nothing was missed."""
    with ternmq.embedded(folder, "MARKET") as qmgr:
        board = Board("next morning")
        with qmgr.subscribe("price/#") as subscription:
            for message in subscription.consume(wait=0):
                board.show(message)
        print(board)
        with qmgr.subscribe("price/#", durable="ACCOUNTANT") as accountant:
            missed = [message.text for message in accountant.consume(wait=0)]
            accountant.close(remove=True)
        expected = len(START) + ROUNDS * len(CHANGES)
        print(f"the accountant was away, and has all {expected}:", len(missed) == expected)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(trading_day(folder))
        balance_the_books(folder)

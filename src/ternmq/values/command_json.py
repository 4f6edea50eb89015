"""Commands and answers as they travel over the local binding: JSON, and back."""

from __future__ import annotations

from typing import Any

from ternmq.base.errors import RemoteProtocolError
from ternmq.values.command import Answer, Command, Filter, Item


def answer_value(answer: Answer) -> dict[str, Any]:
    """An answer as JSON. Attributes are keyword, value, keyword, value ...; a bare word has null.
    One list an answer, because a long DISPLAY has very many of them."""
    items: list[Any] = []
    for item in answer.items:
        items.append(item.keyword)
        items.append(None if item.bare else item.value)
    return {
        "message": answer.message,
        "inserts": list(answer.inserts),
        "comp": answer.comp,
        "reason": answer.reason,
        "type": answer.object_type,
        "detail": answer.detail,
        "items": items,
    }


def answer_from(value: dict[str, Any]) -> Answer:
    """The same, the other way."""
    try:
        answer = Answer(
            str(value["message"]),
            tuple(value["inserts"]),
            comp=int(value["comp"]),
            reason=int(value["reason"]),
            object_type=int(value["type"]),
        )
        answer.detail = str(value["detail"])
        items = iter(value["items"])
        answer.items = [
            Item(str(keyword), "" if one is None else one, one is None)
            for keyword, one in zip(items, items, strict=True)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise RemoteProtocolError(f"no answer: {error!r}") from error
    return answer


def command_value(command: Command) -> dict[str, Any]:
    """A command as JSON."""
    where = command.where
    return {
        "action": command.action,
        "noun": command.noun,
        "name": command.name,
        "given": command.given,
        "wanted": command.wanted,
        "where": None if where is None else [where.keyword, where.operator, where.value],
        "text": command.text,
    }


def _text(value: object) -> str:
    """Never `str(value)`: None would be the queue None."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def command_from(value: dict[str, Any]) -> Command:
    """The same, the other way."""
    try:
        command = Command(_text(value["action"]), _text(value["noun"]), _text(value["name"]))
        command.given = {key: _text(one) for key, one in value["given"].items()}
        command.wanted = [_text(one) for one in value["wanted"]]
        command.text = _text(value["text"])
        if value["where"] is not None:
            keyword, operator, wanted = value["where"]
            command.where = Filter(_text(keyword), _text(operator), _text(wanted))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RemoteProtocolError(f"no command: {error!r}") from error
    return command

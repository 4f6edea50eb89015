"""Spark Connect beside a session of this process: declarative pipelines are defined through it.

The service is started in the session's own Java, on a port of the loopback that the system chooses,
and refuses clients without its token. While `connected` lasts, PySpark's functions build
expressions for Spark Connect in this whole process.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SERVICE: Final = "org.apache.spark.sql.connect.service.SparkConnectService"
_MODE: Final = "SPARK_CONNECT_MODE_ENABLED"
_TOKEN: Final = "spark.connect.authenticate.token"


@contextmanager
def connected(spark: SparkSession) -> Iterator[SparkSession]:
    """A session of Spark Connect in the Java of another; it ends with the block."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    address = service_address(spark)
    before = os.environ.get(_MODE)
    os.environ[_MODE] = "1"
    try:
        session: Any = ConnectSession.builder.remote(address).create()
        try:
            yield session
        finally:
            session.stop()
    finally:
        if before is None:
            del os.environ[_MODE]
        else:
            os.environ[_MODE] = before


def service_address(spark: SparkSession) -> str:
    """Where the service of a session is; it is started if it is not there yet."""
    java: Any = spark._jvm
    context: Any = spark.sparkContext._jsc.sc()
    settings = context.conf()  # the one that it was started with, which the service reads
    service = getattr(getattr(java, f"{_SERVICE}$"), "MODULE$")
    if service.server() is None:
        settings.set("spark.connect.grpc.binding.address", "127.0.0.1")
        settings.set("spark.connect.grpc.binding.port", "0")
        settings.set(_TOKEN, uuid.uuid4().hex)
        service.start(context)
    return f"sc://localhost:{service.localPort()}/;token={settings.get(_TOKEN)}"

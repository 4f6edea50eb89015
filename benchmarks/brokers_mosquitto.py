"""mosquitto: an MQTT broker, with QoS 0 for transient messages. Its limits of what may wait for a
subscriber are lifted, or it would drop what a slow one has not taken."""

from __future__ import annotations

from benchmarks.brokers import Server, client_library, program


class BrokerServer(Server):
    """mosquitto."""

    name = "mosquitto"
    durable_name = "mosquitto"

    @classmethod
    def check(cls) -> None:
        program("mosquitto", "mosquitto", "/usr/sbin/mosquitto")
        client_library("paho", "paho-mqtt")

    def start(self) -> None:
        settings = self.folder / "mosquitto.conf"
        settings.write_text(
            f"listener {self.port} 127.0.0.1\n"
            "allow_anonymous true\n"
            "persistence false\n"
            "max_queued_messages 1000000\n"
            "set_tcp_nodelay true\n"
        )
        self.launch(program("mosquitto", "mosquitto", "/usr/sbin/mosquitto"), "-c", str(settings))
        self.await_port()

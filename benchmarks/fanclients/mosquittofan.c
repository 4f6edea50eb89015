/* Fan-out over mosquitto by libmosquitto, its own client, QoS 0. fan.h has the dialogue. */
#include "fan.h"
#include <mosquitto.h>

static long done, confirmed;
static int is_last, is_ready, is_subscriber;
static double first;

static void on_connect(struct mosquitto *link, void *none, int code)
{
	if (code)
		fail("not connected");
	mosquitto_subscribe(link, NULL, is_subscriber ? "fan" : "credit", 0);
}

static void on_subscribe(struct mosquitto *link, void *none, int id, int count, const int *qos)
{
	is_ready = 1;
}

static void on_message(struct mosquitto *link, void *none, const struct mosquitto_message *message)
{
	if (!is_subscriber) {
		confirmed += CREDIT_STEP;
		return;
	}
	if (done++ == 0)
		first = now();
	is_last = memcmp(message->payload, "LAST", 4) == 0;
	if (done % CREDIT_STEP == 0)
		mosquitto_publish(link, NULL, "credit", 1, "x", 0, false);
}

static struct mosquitto *connected(int port)
{
	struct mosquitto *link;
	mosquitto_lib_init();
	link = mosquitto_new(NULL, true, NULL);
	mosquitto_int_option(link, MOSQ_OPT_TCP_NODELAY, 1);
	mosquitto_connect_callback_set(link, on_connect);
	mosquitto_subscribe_callback_set(link, on_subscribe);
	mosquitto_message_callback_set(link, on_message);
	if (mosquitto_connect(link, "127.0.0.1", port, 60))
		fail("no connection");
	while (!is_ready)
		if (mosquitto_loop(link, 100, 1))
			fail("the connection is broken");
	return link;
}

static void wait_for(struct mosquitto *link, int milliseconds)
{
	if (mosquitto_loop(link, milliseconds, 1))
		fail("the connection is broken");
}

static void subscribe(int port)
{
	struct mosquitto *link = connected(port);
	double before = cpu();
	say("ready");
	while (!is_last)
		wait_for(link, 1000);
	printf("{\"done\": %ld, \"seconds\": %f, \"cpu\": %f}\n", done, now() - first, cpu() - before);
}

static void publish(int port, long subscribers)
{
	struct mosquitto *link = connected(port);
	long sent = 0;
	double before, end = seconds_asked();
	before = cpu();
	end += now();
	while (now() < end) {
		for (int at = 0; at < BATCH; at++)
			if (mosquitto_publish(link, NULL, "fan", SIZE, body, 0, false))
				fail("not published");
		sent += BATCH;
		do
			wait_for(link, mosquitto_want_write(link) || confirmed >= (sent - WINDOW) * subscribers ? 0 : 1000);
		while (mosquitto_want_write(link) || (sent - WINDOW) * subscribers > confirmed);
	}
	memcpy(body, "LAST", 4);
	mosquitto_publish(link, NULL, "fan", SIZE, body, 0, false);
	/* A socket that is closed with unread bytes loses what it has not sent. */
	while (mosquitto_want_write(link) || confirmed < (sent + 1) / CREDIT_STEP * CREDIT_STEP * subscribers)
		wait_for(link, 100);
	printf("{\"sent\": %ld, \"cpu\": %f}\n", sent + 1, cpu() - before);
}

int main(int count, char **words)
{
	is_subscriber = count <= 3;
	if (is_subscriber)
		subscribe(atoi(words[1]));
	else
		publish(atoi(words[1]), atol(words[3]));
	return 0;
}

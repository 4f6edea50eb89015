/* Fan-out over Redis by hiredis, its own client. fan.h has the dialogue. */
#include "fan.h"
#include <hiredis/hiredis.h>

static redisContext *connected(int port)
{
	redisContext *link = redisConnect("127.0.0.1", port);
	if (link == NULL || link->err)
		fail("no connection");
	return link;
}

static redisReply *reply_of(redisContext *link)
{
	redisReply *reply;
	if (redisGetReply(link, (void **)&reply) != REDIS_OK)
		fail(link->errstr);
	return reply;
}

static void subscribe(int port)
{
	redisContext *link = connected(port), *back = connected(port);
	long done = 0;
	int is_last = 0;
	double first = 0, before;
	freeReplyObject(redisCommand(link, "SUBSCRIBE fan"));
	before = cpu();
	say("ready");
	while (!is_last) {
		redisReply *reply = reply_of(link);
		if (done++ == 0)
			first = now();
		is_last = memcmp(reply->element[2]->str, "LAST", 4) == 0;
		freeReplyObject(reply);
		if (done % CREDIT_STEP == 0)
			freeReplyObject(redisCommand(back, "PUBLISH credit x"));
	}
	printf("{\"done\": %ld, \"seconds\": %f, \"cpu\": %f}\n", done, now() - first, cpu() - before);
}

static void publish(int port, long subscribers)
{
	redisContext *link = connected(port), *credits = connected(port);
	long sent = 0, confirmed = 0;
	double before, end;
	freeReplyObject(redisCommand(credits, "SUBSCRIBE credit"));
	end = seconds_asked();
	before = cpu();
	end += now();
	while (now() < end) {
		for (int at = 0; at < BATCH; at++)
			redisAppendCommand(link, "PUBLISH fan %b", body, (size_t)SIZE);
		for (int at = 0; at < BATCH; at++)
			freeReplyObject(reply_of(link));
		sent += BATCH;
		while ((sent - WINDOW) * subscribers > confirmed) {
			freeReplyObject(reply_of(credits));
			confirmed += CREDIT_STEP;
		}
	}
	memcpy(body, "LAST", 4);
	freeReplyObject(redisCommand(link, "PUBLISH fan %b", body, (size_t)SIZE));
	printf("{\"sent\": %ld, \"cpu\": %f}\n", sent + 1, cpu() - before);
}

int main(int count, char **words)
{
	if (count > 3)
		publish(atoi(words[1]), atol(words[3]));
	else
		subscribe(atoi(words[1]));
	return 0;
}

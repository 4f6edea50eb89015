/* What both clients of the fan-out share: its numbers, and the dialogue with benchmarks/fanout_clients.py.
 *
 *     PROGRAM PORT subscribe                  says "ready", counts up to LAST, prints a JSON object
 *     PROGRAM PORT publish SUBSCRIBERS        says "ready", reads seconds, publishes so long, prints one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define WINDOW 1024     /* publications ahead of what subscribers have confirmed, on average */
#define CREDIT_STEP 256 /* a subscriber confirms after so many */
#define BATCH 64
#define SIZE 2048

static char body[SIZE];

static double now(void)
{
	struct timespec at;
	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec + at.tv_nsec / 1e9;
}

static double cpu(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void say(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

static double seconds_asked(void)
{
	double seconds;
	say("ready");
	if (scanf("%lf", &seconds) != 1)
		exit(0);
	return seconds;
}

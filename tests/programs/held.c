// SPDX-License-Identifier: MIT
/* A thread has a lock and sleeps; two others wait for it.
 *
 *	held mutex|pi|semaphore
 *
 * Prints "owner TID" and "waiter TID" twice, and goes on until it is killed.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static sem_t semaphore;
static int by_semaphore;

static void say(const char *what)
{
	printf("%s %d\n", what, (int)syscall(SYS_gettid));
	fflush(stdout);
}

static void take(void)
{
	if (by_semaphore)
		sem_wait(&semaphore);
	else
		pthread_mutex_lock(&mutex);
}

static void *wait_for_it(void *arg)
{
	say("waiter");
	take();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_t thread;

	if (argc != 2)
		return 2;
	by_semaphore = !strcmp(argv[1], "semaphore");
	pthread_mutexattr_init(&attr);
	if (!strcmp(argv[1], "pi"))
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &attr);
	sem_init(&semaphore, 0, 1);
	take();
	say("owner");
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, wait_for_it, NULL))
			return 1;
	for (;;)
		pause();
}

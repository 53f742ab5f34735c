/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A small server without a network, for tests of regions: four threads that answer requests.
 *
 *   sdk_requests TRUTH [REQUESTS]
 *
 * Each request has a number and an activity, and the regions request, and in it parse, lock (waiting for a
 * mutex that all threads share), query (a statement of SQLite) and render. One request has a statement that
 * takes far longer than all others. TRUTH gets a line per region: its name, the request's number, the
 * shortest and the longest time in ns that it can have taken, by the program's own clock readings inside and
 * outside of its events.
 *
 * SQLite is loaded when the program runs. Exit code 77: it is not there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "providers/sdk/wtrace.h"

enum { THREADS = 4, MAX_REQUESTS = 100000, PHASES = 5 };

static struct wtrace_provider shop = WTRACE_PROVIDER_INIT(shop, "shop");

static struct {
	int (*open)(const char *name, void **db);
	int (*exec)(void *db, const char *sql, int (*row)(void *, int, char **, char **), void *ctx,
		    char **message);
	int (*close)(void *db);
} sqlite;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t n_requests = 400, next_request, slow_request;
static uint64_t stock; /* under the lock */

/* What the program itself knows of a region. */
struct reading {
	uint64_t before, begun, ending, after;
};
static struct reading readings[MAX_REQUESTS][PHASES];
static const char *const names[PHASES] = {"request", "parse", "lock", "query", "render"};

static const char quick_sql[] = "SELECT sum(price) FROM items WHERE id % 7 = 3";
static const char slow_sql[] =
	"SELECT count(*) FROM items a, items b, items c WHERE a.price + b.price > c.price";

static void fail(const char *what)
{
	fprintf(stderr, "sdk_requests: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void work(uint32_t rounds)
{
	volatile uint64_t x = rounds;

	for (uint32_t i = 0; i < rounds; i++)
		x = x * UINT64_C(6364136223846793005) + 1;
}

static void run_sql(void *db, const char *sql)
{
	if (sqlite.exec(db, sql, NULL, NULL, NULL))
		fail(sql);
}

/* ---- phases ---- */

static void parse(uint32_t number, struct reading *reading)
{
	reading->before = wtrace_now();
	wtrace_event_start(&shop, "parse_start", WTRACE_INFO, 0x2, wtrace_u32("bytes", 100 + number % 50));
	reading->begun = wtrace_now();
	work(2000);
	reading->ending = wtrace_now();
	wtrace_event_stop(&shop, "parse_stop", WTRACE_INFO, 0x2, wtrace_u32("words", number % 9));
	reading->after = wtrace_now();
}

static void take_lock(struct reading *reading)
{
	reading->before = wtrace_now();
	wtrace_event_start(&shop, "lock_start", WTRACE_INFO, 0x2, wtrace_pointer("mutex", &lock));
	reading->begun = wtrace_now();
	pthread_mutex_lock(&lock);
	reading->ending = wtrace_now();
	wtrace_event_stop(&shop, "lock_stop", WTRACE_INFO, 0x2, wtrace_pointer("mutex", &lock));
	reading->after = wtrace_now();
	work(1000);
	stock++;
	pthread_mutex_unlock(&lock);
}

static void query(void *db, const char *sql, struct reading *reading)
{
	reading->before = wtrace_now();
	wtrace_event_start(&shop, "query_start", WTRACE_INFO, 0x2, wtrace_str("sql", sql));
	reading->begun = wtrace_now();
	run_sql(db, sql);
	reading->ending = wtrace_now();
	wtrace_event_stop(&shop, "query_stop", WTRACE_INFO, 0x2, wtrace_i32("code", 0));
	reading->after = wtrace_now();
}

static void render(uint32_t number, struct reading *reading)
{
	reading->before = wtrace_now();
	wtrace_event_start(&shop, "render_start", WTRACE_INFO, 0x2, wtrace_u32("template", number % 3));
	reading->begun = wtrace_now();
	work(4000);
	reading->ending = wtrace_now();
	wtrace_event_stop(&shop, "render_stop", WTRACE_INFO, 0x2, wtrace_u32("pages", 1));
	reading->after = wtrace_now();
}

static void answer(void *db, uint32_t number)
{
	struct reading *own = readings[number];
	struct wtrace_id activity;

	wtrace_id_new(&activity);
	wtrace_activity_set(&activity);
	own->before = wtrace_now();
	wtrace_event_start(&shop, "request_start", WTRACE_INFO, 0x1, wtrace_u32("number", number),
			   wtrace_str("url", number % 2 ? "/basket" : "/items"));
	own->begun = wtrace_now();
	parse(number, &own[1]);
	take_lock(&own[2]);
	query(db, number == slow_request ? slow_sql : quick_sql, &own[3]);
	render(number, &own[4]);
	own->ending = wtrace_now();
	wtrace_event_stop(&shop, "request_stop", WTRACE_INFO, 0x1, wtrace_u32("status", 200));
	own->after = wtrace_now();
	wtrace_activity_set(NULL);
}

/* ---- the server ---- */

static void *serve(void *arg)
{
	uint32_t number;
	void *db;

	(void)arg;
	if (sqlite.open(":memory:", &db))
		fail("sqlite3_open");
	run_sql(db, "CREATE TABLE items(id INTEGER PRIMARY KEY, price INTEGER);"
		    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
		    "INSERT INTO items SELECT i, i % 10 FROM n");
	while ((number = __atomic_fetch_add(&next_request, 1, __ATOMIC_RELAXED)) < n_requests)
		answer(db, number);
	sqlite.close(db);
	return NULL;
}

static void load_sqlite(void)
{
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW);

	if (!library) {
		fprintf(stderr, "sdk_requests: %s\n", dlerror());
		exit(77);
	}
	*(void **)&sqlite.open = dlsym(library, "sqlite3_open");
	*(void **)&sqlite.exec = dlsym(library, "sqlite3_exec");
	*(void **)&sqlite.close = dlsym(library, "sqlite3_close");
	if (!sqlite.open || !sqlite.exec || !sqlite.close)
		fail("libsqlite3.so.0");
}

static void write_truth(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail(path);
	for (uint32_t i = 0; i < n_requests; i++)
		for (int p = 0; p < PHASES; p++) {
			const struct reading *reading = &readings[i][p];

			fprintf(file, "%s %u %llu %llu\n", names[p], i,
				(unsigned long long)(reading->ending - reading->begun),
				(unsigned long long)(reading->after - reading->before));
		}
	if (fclose(file))
		fail(path);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc > 2)
		n_requests = (uint32_t)strtoul(argv[2], NULL, 10);
	if (argc < 2 || !n_requests || n_requests > MAX_REQUESTS) {
		fputs("usage: sdk_requests TRUTH [REQUESTS]\n", stderr);
		return 2;
	}
	slow_request = n_requests * 2 / 3;
	load_sqlite();
	if (wtrace_register(&shop))
		fail(wtrace_why(&shop));
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, serve, NULL))
			fail("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	wtrace_unregister(&shop);
	write_truth(argv[1]);
	return 0;
}

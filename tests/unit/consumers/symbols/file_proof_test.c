// SPDX-License-Identifier: MIT
/* Which file is believed to be the one that was mapped: a table of cases, and files that are changed. */
#include "consumers/symbols/file_proof.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define S WT_NSEC

enum { DEVICE = 8, OTHER = 9, INODE = 77, ANOTHER = 78 };

static const struct wt_file_claim plain = {.device = DEVICE, .inode = INODE, .mapped = 100 * S};
static const struct wt_file_claim built = {
	.device = DEVICE, .inode = INODE, .same_build = true, .mapped = 100 * S};
static const struct wt_file_claim built_seen = {
	.device = DEVICE, .inode = INODE, .same_build = true, .changed = 100 * S - 1, .mapped = 100 * S};
static const struct wt_file_claim built_linked = {.device = DEVICE,
						  .inode = INODE,
						  .same_build = true,
						  .changed = 60 * S,
						  .modified = 50 * S,
						  .links = 1,
						  .mapped = 100 * S};
static const struct wt_file_claim plain_linked = {.device = DEVICE,
						  .inode = INODE,
						  .changed = 60 * S,
						  .modified = 50 * S,
						  .links = 1,
						  .mapped = 100 * S};
static const struct wt_file_claim built_seen_late = {.device = DEVICE,
						     .inode = INODE,
						     .same_build = true,
						     .changed = 101 * S,
						     .modified = 50 * S,
						     .links = 1,
						     .mapped = 100 * S};
static const struct wt_file_claim no_inode = {.same_build = true, .mapped = 100 * S};
static const struct wt_file_claim seen = {
	.device = DEVICE, .inode = INODE, .changed = 60 * S, .mapped = 100 * S};
static const struct wt_file_claim watched = {
	.device = DEVICE, .inode = INODE, .changed = 60 * S, .mapped = 100 * S, .watched = true};
static const struct wt_file_claim not_seen = {
	.device = DEVICE, .inode = INODE, .changed = WT_LOG_IMAGE_GONE, .mapped = 100 * S};
static const struct wt_file_claim nothing = {.mapped = 100 * S};
static const struct wt_file_claim foreign = {
	.device = DEVICE, .inode = INODE, .same_build = true, .elsewhere = true, .mapped = 100 * S};
static const struct wt_file_claim contained = {.device = DEVICE,
					       .inode = INODE,
					       .same_build = true,
					       .elsewhere = true,
					       .same_boot = true,
					       .mapped = 100 * S};
static const struct wt_file_claim foreign_plain = {
	.device = DEVICE, .inode = INODE, .elsewhere = true, .mapped = 100 * S};
static const struct wt_file_claim old_plain = {.device = DEVICE, .inode = INODE};
static const struct wt_file_claim old_built = {.same_build = true};

static const struct {
	const struct wt_file_claim *claim;
	struct wt_file_facts
		facts; /* there, layered, device, inode, change, modified, links, writer, in_memory */
	uint8_t verdict;
} cases[] = {
	/* The inode and its change decide. */
	{&plain, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_RESOLVED},
	{&plain, {true, false, DEVICE, INODE, 100 * S - WT_FILE_TICK - 1, 0, 0, false, false}, WT_RESOLVED},
	{&plain,
	 {true, false, DEVICE, INODE, 100 * S - WT_FILE_TICK, 0, 0, false, false},
	 WT_UNRESOLVED_CHANGED},
	{&plain, {true, false, DEVICE, INODE, 101 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	{&plain, {true, false, DEVICE, INODE, 200 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	{&plain, {true, false, DEVICE, ANOTHER, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&plain, {true, false, OTHER, INODE, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&plain, {true, true, OTHER, INODE, 60 * S, 0, 0, false, false}, WT_RESOLVED},
	{&plain, {true, true, OTHER, INODE, 110 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	{&plain, {true, true, OTHER, ANOTHER, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	/* With an equal build id too: two files of one may differ in their names. */
	{&built, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_RESOLVED},
	{&built, {true, false, DEVICE, INODE, 200 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	/* It was just built when it was run. */
	{&built, {true, false, DEVICE, INODE, 100 * S - 1, 0, 0, false, false}, WT_RESOLVED},
	{&built, {true, false, DEVICE, INODE, 100 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	{&built_seen, {true, false, DEVICE, INODE, 100 * S - 1, 0, 0, false, false}, WT_RESOLVED},
	{&built_seen, {true, false, DEVICE, INODE, 100 * S - 2, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&built, {true, false, DEVICE, ANOTHER, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&built, {true, true, OTHER, ANOTHER, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&no_inode, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_UNPROVED},
	{&nothing, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_UNPROVED},
	/* Who recorded saw the file, and when it had been changed: devices and inodes are used again. */
	{&seen, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_RESOLVED},
	{&seen, {true, false, DEVICE, INODE, 60 * S - 1, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&seen, {true, false, DEVICE, INODE, 101 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	{&seen, {true, false, DEVICE, ANOTHER, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&not_seen, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_UNPROVED},
	/* A process can write to it now, and its times may stay. */
	{&seen, {true, false, DEVICE, INODE, 60 * S, 0, 0, true, false}, WT_UNRESOLVED_UNPROVED},
	{&built, {true, false, DEVICE, INODE, 60 * S, 0, 0, true, false}, WT_UNRESOLVED_UNPROVED},
	{&seen, {true, false, DEVICE, ANOTHER, 60 * S, 0, 0, true, false}, WT_UNRESOLVED_REPLACED},
	/* Its times tell nothing in memory: there it must have been watched. */
	{&seen, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, true}, WT_UNRESOLVED_UNPROVED},
	{&built, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, true}, WT_UNRESOLVED_UNPROVED},
	{&built_linked,
	 {true, false, DEVICE, INODE, 200 * S, 50 * S, 2, false, true},
	 WT_UNRESOLVED_UNPROVED},
	{&watched, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, true}, WT_RESOLVED},
	{&watched, {true, false, DEVICE, INODE, 60 * S, 0, 0, true, true}, WT_UNRESOLVED_UNPROVED},
	{&watched, {true, false, DEVICE, INODE, 101 * S, 0, 0, false, true}, WT_UNRESOLVED_CHANGED},
	{&watched, {true, false, DEVICE, ANOTHER, 60 * S, 0, 0, false, true}, WT_UNRESOLVED_REPLACED},
	{&seen, {true, false, DEVICE, INODE, 101 * S, 0, 0, false, true}, WT_UNRESOLVED_CHANGED},
	{&foreign, {true, false, OTHER, ANOTHER, 200 * S, 0, 0, false, true}, WT_RESOLVED},
	/* A link was made to it, by perf say, and its build id is the same. */
	{&built_linked, {true, false, DEVICE, INODE, 200 * S, 50 * S, 2, false, false}, WT_RESOLVED},
	{&built_linked,
	 {true, false, DEVICE, INODE, 200 * S, 50 * S, 1, false, false},
	 WT_UNRESOLVED_CHANGED},
	{&built_linked,
	 {true, false, DEVICE, INODE, 200 * S, 51 * S, 2, false, false},
	 WT_UNRESOLVED_CHANGED},
	{&built_linked,
	 {true, false, DEVICE, INODE, 59 * S, 50 * S, 2, false, false},
	 WT_UNRESOLVED_REPLACED},
	{&built_linked,
	 {true, false, DEVICE, ANOTHER, 200 * S, 50 * S, 2, false, false},
	 WT_UNRESOLVED_REPLACED},
	{&built_seen_late,
	 {true, false, DEVICE, INODE, 200 * S, 50 * S, 2, false, false},
	 WT_UNRESOLVED_CHANGED},
	{&plain_linked,
	 {true, false, DEVICE, INODE, 200 * S, 50 * S, 2, false, false},
	 WT_UNRESOLVED_CHANGED},
	{&seen, {true, false, DEVICE, INODE, 200 * S, 0, 2, false, false}, WT_UNRESOLVED_CHANGED},
	/* Inodes of another machine say nothing. */
	{&foreign, {true, false, OTHER, ANOTHER, 200 * S, 0, 0, false, false}, WT_RESOLVED},
	{&foreign, {true, false, DEVICE, INODE, 200 * S, 0, 0, false, false}, WT_RESOLVED},
	{&foreign_plain, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_UNPROVED},
	/* But those of this boot do, where the device is the same. */
	{&contained, {true, true, OTHER, ANOTHER, 200 * S, 0, 0, false, false}, WT_RESOLVED},
	{&contained, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_RESOLVED},
	{&contained, {true, false, DEVICE, ANOTHER, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_REPLACED},
	{&contained, {true, false, DEVICE, INODE, 200 * S, 0, 0, false, false}, WT_UNRESOLVED_CHANGED},
	/* Logs of older versions do not tell when a file was mapped. */
	{&old_plain, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_UNRESOLVED_UNPROVED},
	{&old_built, {true, false, DEVICE, INODE, 60 * S, 0, 0, false, false}, WT_RESOLVED},
};

static void cases_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint8_t verdict = wt_file_proof(cases[i].claim, &cases[i].facts);

		if (verdict != cases[i].verdict)
			fail_msg("case %zu: %u instead of %u", i, verdict, cases[i].verdict);
	}
}

static void the_earliest_time_counts(void **state)
{
	const struct wt_log_image image = {.inode = INODE, .mapped = 50 * S};
	const struct wt_clockset then = {.raw = 40 * S, .realtime = 1000 * S};
	const struct wt_clockset back = {.raw = 60 * S, .realtime = 1017 * S};
	const struct wt_clockset forth = {.raw = 60 * S, .realtime = 1023 * S};
	const struct wt_clockset rebooted = {.raw = 1 * S, .realtime = 2000 * S};
	struct wt_file_clock clock = {0};

	(void)state;
	assert_int_equal(wt_file_claim_of(&image, &clock, true).mapped, 0);
	wt_file_clock_take(&clock, &then);
	assert_int_equal(wt_file_claim_of(&image, &clock, false).mapped, 1010 * S);
	wt_file_clock_take(&clock, &forth);
	wt_file_clock_take(&clock, &rebooted);
	wt_file_clock_take(&clock, &(struct wt_clockset){0});
	assert_int_equal(wt_file_claim_of(&image, &clock, false).mapped, 1010 * S);
	wt_file_clock_take(&clock, &back);
	assert_int_equal(wt_file_claim_of(&image, &clock, false).mapped, 1007 * S);
	/* Seen before the clocks were read. */
	assert_int_equal(wt_file_claim_of(&(struct wt_log_image){.mapped = 10 * S}, &clock, false).mapped,
			 967 * S);
	assert_int_equal(wt_file_claim_of(&(struct wt_log_image){0}, &clock, false).mapped, 0);
	/* A clock that is not set yet. */
	wt_file_clock_take(&clock, &(struct wt_clockset){.raw = 70 * S, .realtime = 69 * S});
	assert_int_equal(wt_file_claim_of(&image, &clock, false).mapped, 50 * S + 1);
}

static void facts_are_those_of_the_file(void **state)
{
	char path[] = "/tmp/wtproofXXXXXX";
	int fd = mkstemp(path);
	struct wt_file_facts facts, held;
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(futimens(fd, (const struct timespec[2]){{.tv_sec = 1000}, {.tv_sec = 1000}}), 0);
	assert_int_equal(fstat(fd, &st), 0);
	wt_file_facts_at(path, -1, &facts);
	wt_file_facts_at(NULL, fd, &held);
	/* Only who can ask for a lease knows of writers. */
	assert_true(held.writer || !facts.writer);
	held.writer = held.in_memory = false;
	assert_memory_equal(&facts, &held, sizeof(facts));
	assert_true(facts.there);
	assert_int_equal(facts.inode, st.st_ino);
	/* The content's time can be set back, the change cannot. */
	assert_true(facts.change > 1000 * S);
	unlink(path);
	wt_file_facts_at(path, -1, &facts);
	assert_false(facts.there);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_are_judged),
		cmocka_unit_test(the_earliest_time_counts),
		cmocka_unit_test(facts_are_those_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

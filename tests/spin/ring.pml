/* SPDX-License-Identifier: MIT */
/*
 * RING.md as a model: commit and reuse (-DREUSE), closing a lane (-DCLOSE_LANE), closing a CPU's ring
 * (-DCLOSE_SECTION).
 *
 * The writer's CPU has a store buffer that empties in any order, one store per word at a time: weaker than x86,
 * as weak as arm64 for what is done here. The reader's loads may swap places where no barrier holds them. Each
 * barrier of RING.md has a name; -DNO_<name> takes it away, and then spin must find a violated assertion.
 *
 * Blocks are reduced to one word, which holds the block's sequence; slot = sequence % N.
 */
#define N 3
#define LAST 6

byte head, tail = 1, data[N];
bool closed, busy;

/* The store buffer: a pending value for each word the writer stores to. */
bool p_head, p_busy, p_data[N];
byte v_head, v_data[N];
bool v_busy;

#define DATA_OUT (!p_data[0] && !p_data[1] && !p_data[2])
#define ALL_OUT (DATA_OUT && !p_head && !p_busy)

inline store_head(v) { atomic { !p_head -> p_head = true; v_head = v } }
inline store_busy(v) { atomic { !p_busy -> p_busy = true; v_busy = v } }
inline store_data(s, v) { atomic { !p_data[s] -> p_data[s] = true; v_data[s] = v } }

active proctype store_buffer()
{
end:	do
	:: atomic { p_head -> head = v_head; p_head = false }
	:: atomic { p_busy -> busy = v_busy; p_busy = false }
	:: atomic { p_data[0] -> data[0] = v_data[0]; p_data[0] = false }
	:: atomic { p_data[1] -> data[1] = v_data[1]; p_data[1] = false }
	:: atomic { p_data[2] -> data[2] = v_data[2]; p_data[2] = false }
	od
}

/* P.1, the writer's half: the commit is a store-release (arm64 stlr; x86 keeps stores in order). */
inline commit(v)
{
#ifndef NO_COMMIT_RELEASE
	DATA_OUT;
#endif
	store_head(v)
}

#ifdef REUSE
active proctype writer()
{
	byte b;

	for (b : 1 .. LAST) {
		/* The store depends on the load of tail: no CPU makes it visible before. */
		b < tail + N;
		store_data(b % N, b);
		commit(b)
	}
}

active proctype reader()
{
	byte q, seen;

	for (q : 1 .. LAST) {
#ifdef NO_HEAD_ACQUIRE
		seen = data[q % N];
		head >= q;
#else
		head >= q;
#ifdef NO_TAIL_RELEASE
		if
		:: tail = q + 1
		:: skip
		fi;
#endif
		seen = data[q % N];
#endif
		assert(seen == q);
		tail = q + 1
	}
}
#endif

#if defined(CLOSE_LANE) || defined(CLOSE_SECTION)
byte acknowledged, last_read;
bool reader_done, writer_done;

/* The closer runs once on the writer's CPU: whatever was stored there is out, and a section starts anew. */
bool in_section, restart;
inline visit()
{
	atomic {
		if :: p_head -> head = v_head; p_head = false :: else fi;
		if :: p_busy -> busy = v_busy; p_busy = false :: else fi;
		if :: p_data[0] -> data[0] = v_data[0]; p_data[0] = false :: else fi;
		if :: p_data[1] -> data[1] = v_data[1]; p_data[1] = false :: else fi;
		if :: p_data[2] -> data[2] = v_data[2]; p_data[2] = false :: else fi;
#ifndef NO_RESTART
		restart = in_section
#endif
	}
}

active proctype nothing_comes_late()
{
	reader_done && writer_done && ALL_OUT;
	assert(head == last_read);
	assert(acknowledged == last_read)
}
#endif

#ifdef CLOSE_LANE
active proctype writer()
{
	byte b;
	bool is_closed;

	for (b : 1 .. 2) {
		store_busy(true);
		/* No barrier here: the closer's visit is (P.4). */
		is_closed = closed;
		if
		:: is_closed -> break
		:: else
		fi;
		store_data(b % N, b);
		commit(b);
#ifndef NO_BUSY_RELEASE
		ALL_OUT;
#endif
		store_busy(false);
		acknowledged = b
	}
	ALL_OUT;
	store_busy(false);
	writer_done = true
}

active proctype closer()
{
	closed = true;
#ifndef NO_VISIT
	visit();
#endif
#ifdef NO_BUSY_ACQUIRE
	last_read = head;
	!busy;
#else
	!busy;
	last_read = head;
#endif
	reader_done = true
}
#endif

#ifdef CLOSE_SECTION
active proctype writer()
{
	byte b;

	for (b : 1 .. 2) {
again:		atomic { in_section = true; restart = false };
		if
		:: closed -> in_section = false; break
		:: else
		fi;
		if
		:: restart -> goto again
		:: else -> store_data(b % N, b)
		fi;
		/* The commit, if nobody came between. */
		DATA_OUT && !p_head;
		atomic {
			if
			:: restart -> goto again
			:: else -> p_head = true; v_head = b; in_section = false; acknowledged = b
			fi
		}
	}
	writer_done = true
}

active proctype closer()
{
	closed = true;
#ifndef NO_VISIT
	visit();
#endif
	last_read = head;
	reader_done = true
}
#endif

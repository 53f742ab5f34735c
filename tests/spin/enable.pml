/* SPDX-License-Identifier: MIT */
/*
 * Registering against enabling, tracecore/enable/ENABLE.md section 3. Every store may be delayed past later loads and
 * stores of its process (one buffer per process and word, drained in any order) until a fence. In the end the bits
 * must be those of the rules in force.
 *
 * -DNO_CONTROLLER_FENCE, -DNO_REGISTRANT_FENCE and -DNO_REREADING take one thing away each: then spin must find a
 * violation.
 */
#define NOTHING 255
#define STAMP   0
#define LINK    1
#define BITS    2
#define WORDS   3
#define CONTROLLER 0
#define REGISTRANT 1

byte mem[WORDS];
byte buffer[6]; /* of process p and word v: p * WORDS + v */
byte ended;

inline store(p, v, x) { atomic { buffer[p * WORDS + v] = x } }

inline load(p, v, to) {
	atomic {
		if
		:: buffer[p * WORDS + v] != NOTHING -> to = buffer[p * WORDS + v]
		:: else -> to = mem[v]
		fi
	}
}

inline fence(p) {
	atomic {
		(buffer[p * WORDS] == NOTHING && buffer[p * WORDS + 1] == NOTHING && buffer[p * WORDS + 2] == NOTHING)
	}
}

proctype memory() {
	do
	:: atomic { buffer[0] != NOTHING -> mem[0] = buffer[0]; buffer[0] = NOTHING }
	:: atomic { buffer[1] != NOTHING -> mem[1] = buffer[1]; buffer[1] = NOTHING }
	:: atomic { buffer[2] != NOTHING -> mem[2] = buffer[2]; buffer[2] = NOTHING }
	:: atomic { buffer[3] != NOTHING -> mem[0] = buffer[3]; buffer[3] = NOTHING }
	:: atomic { buffer[4] != NOTHING -> mem[1] = buffer[4]; buffer[4] = NOTHING }
	:: atomic { buffer[5] != NOTHING -> mem[2] = buffer[5]; buffer[5] = NOTHING }
	:: ended == 2 && buffer[0] == NOTHING && buffer[1] == NOTHING && buffer[2] == NOTHING &&
	   buffer[3] == NOTHING && buffer[4] == NOTHING && buffer[5] == NOTHING -> break
	od;
	assert(mem[BITS] == mem[STAMP])
}

/* Two sets of rules, one after the other. */
proctype controller() {
	byte rules = 1, linked;
	do
	:: rules <= 2 ->
		store(CONTROLLER, STAMP, rules);
#ifndef NO_CONTROLLER_FENCE
		fence(CONTROLLER);
#endif
		load(CONTROLLER, LINK, linked);
		if
		:: linked -> store(CONTROLLER, BITS, rules)
		:: else
		fi;
		rules++
	:: else -> break
	od;
	atomic { ended++ }
}

proctype registrant() {
	byte rules, again;
	store(REGISTRANT, LINK, 1);
	do
	::
#ifndef NO_REGISTRANT_FENCE
		fence(REGISTRANT);
#endif
		load(REGISTRANT, STAMP, rules);
		store(REGISTRANT, BITS, rules);
#ifndef NO_REGISTRANT_FENCE
		fence(REGISTRANT);
#endif
#ifdef NO_REREADING
		break;
#endif
		load(REGISTRANT, STAMP, again);
		if
		:: again == rules -> break
		:: else
		fi
	od;
	atomic { ended++ }
}

init {
	atomic {
		buffer[0] = NOTHING; buffer[1] = NOTHING; buffer[2] = NOTHING;
		buffer[3] = NOTHING; buffer[4] = NOTHING; buffer[5] = NOTHING;
		run memory(); run controller(); run registrant()
	}
}

/* SPDX-License-Identifier: MIT */
/* The C++ half of the stepper's corpus: exceptions, landing pads, destructors, virtual calls. */
#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile long sink;

struct counter {
	long n;
	explicit counter(long v) : n(v) {}
	NOINLINE ~counter() { sink = sink + n; }
};

struct shape {
	virtual ~shape() = default;
	virtual long area(long a) const = 0;
};

struct square : shape {
	NOINLINE long area(long a) const override { return a * a + sink; }
};

struct round : shape {
	NOINLINE long area(long a) const override
	{
		if (a > 5)
			throw std::runtime_error("too round");
		return 3 * a * a;
	}
};

NOINLINE static long thrower(long n)
{
	counter a(n), b(n + 1);

	if (n > 2)
		throw n;
	return n;
}

NOINLINE static long middle(long n)
{
	counter c(n * 2);
	std::string text(static_cast<size_t>(n + 30), 'x');

	return thrower(n) + static_cast<long>(text.size());
}

NOINLINE static long catcher(long n)
{
	try {
		return middle(n);
	} catch (long v) {
		return v + sink;
	}
}

NOINLINE static long rethrower(long n)
{
	try {
		return middle(n);
	} catch (...) {
		counter c(7);
		throw;
	}
}

NOINLINE static long by_base(const shape &s, long n)
{
	try {
		return s.area(n);
	} catch (const std::exception &e) {
		return e.what()[0];
	}
}

NOINLINE static long realigned_thrower(long n)
{
	alignas(64) volatile char line[128];

	line[n & 127] = 1;
	try {
		return middle(n) + line[0];
	} catch (long v) {
		return v + line[n & 127];
	}
}

NOINLINE static long sorted(long n)
{
	std::vector<long> v;

	for (long i = 0; i < n; i++)
		v.push_back((i * 7919) % 31);
	std::sort(v.begin(), v.end(), [n](long a, long b) { return a < b && n > 0; });
	return v[v.size() / 2];
}

NOINLINE static long called(const std::function<long(long)> &f)
{
	return f(3) + f(4);
}

static void on_signal(int)
{
	sink = sink + 1;
}

int main()
{
	std::signal(SIGUSR1, on_signal);
	std::unique_ptr<shape> s(new square), r(new round);

	for (long i = 0; i < 5; i++)
		sink = sink + catcher(i);
	try {
		sink = sink + rethrower(4);
	} catch (long v) {
		sink = sink + v;
	}
	sink = sink + by_base(*s, 3) + by_base(*r, 3) + by_base(*r, 9);
	sink = sink + realigned_thrower(1) + realigned_thrower(8) + sorted(20);
	sink = sink + called([](long n) { return n + sink; });
	try {
		sink = sink + static_cast<long>(std::string("abc").at(sink ? 9 : 8));
	} catch (const std::out_of_range &) {
		sink = sink + 1;
	}
	return 0;
}

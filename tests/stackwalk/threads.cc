/* SPDX-License-Identifier: MIT */
/* Four threads that throw, catch, sort and print, for gdb_compare.py; runs until it is killed, at most ten minutes. */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static volatile long sink;

static long deep(long n)
{
	std::string text(static_cast<size_t>(n + 20), 'x');

	if (n == 0)
		throw std::runtime_error(text);
	return deep(n - 1) + static_cast<long>(text.size());
}

static void work(long seed)
{
	const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);

	while (std::chrono::steady_clock::now() < end) {
		std::vector<std::string> words;
		char line[64];

		for (long i = 0; i < 200; i++) {
			std::snprintf(line, sizeof(line), "%ld %.3f", (i * seed) % 131, 1.0 / static_cast<double>(i + 1));
			words.emplace_back(line);
		}
		std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) { return a < b; });
		try {
			sink = sink + deep(seed % 9 + 2);
		} catch (const std::exception &e) {
			sink = sink + e.what()[0];
		}
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (long i = 0; i < 4; i++)
		threads.emplace_back(work, 7919 * (i + 1));
	for (auto &t : threads)
		t.join();
	return 0;
}

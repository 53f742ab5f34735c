// SPDX-License-Identifier: MIT
/* A server: requests come over sockets, threads answer them through virtual calls, and each fourth ends in an exception that
 * passes many frames. server MS: until it has used so much CPU time, with clients of its own. */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{

struct Handler {
	virtual ~Handler() = default;
	virtual std::string answer(unsigned n) const = 0;
};

struct Words : Handler {
	std::string answer(unsigned n) const override
	{
		std::map<std::string, unsigned> counts;
		std::ostringstream out;

		for (unsigned i = 0; i < 1000; i++)
			counts["word" + std::to_string(i * n % 37)]++;
		for (const auto &[word, count] : counts)
			out << word << '=' << count << ';';
		return out.str();
	}
};

struct Sum : Handler {
	std::string answer(unsigned n) const override
	{
		std::istringstream in("17 " + std::to_string(n) + " 23 5 99 " + std::to_string(n % 71));
		unsigned sum = 0, word;

		while (in >> word)
			sum += word;
		return std::to_string(sum);
	}
};

struct Refuse : Handler {
	static unsigned deeper(unsigned n, const std::function<void(unsigned)> &end)
	{
		std::vector<unsigned> held(16, n);

		if (!n) {
			end(held[3]);
			return 0;
		}
		return deeper(n - 1, end) + held[5];
	}
	std::string answer(unsigned n) const override
	{
		return std::to_string(deeper(10 + n % 20, [](unsigned) { throw std::runtime_error("no"); }));
	}
};

std::string serve(const std::vector<std::unique_ptr<Handler>> &handlers, unsigned n)
{
	try {
		return handlers[n % handlers.size()]->answer(n);
	} catch (const std::exception &e) {
		return std::string("refused: ") + e.what();
	}
}

void answer_all(int fd)
{
	std::vector<std::unique_ptr<Handler>> handlers;
	unsigned n;

	handlers.push_back(std::make_unique<Words>());
	handlers.push_back(std::make_unique<Sum>());
	handlers.push_back(std::make_unique<Words>());
	handlers.push_back(std::make_unique<Refuse>());
	while (read(fd, &n, sizeof(n)) == sizeof(n)) {
		std::string text = serve(handlers, n);
		unsigned size = static_cast<unsigned>(text.size());

		if (write(fd, &size, sizeof(size)) != sizeof(size))
			break;
	}
	close(fd);
}

void ask(int fd, std::clock_t until)
{
	unsigned size;

	for (unsigned n = 0; std::clock() < until; n++)
		if (write(fd, &n, sizeof(n)) != sizeof(n) || read(fd, &size, sizeof(size)) != sizeof(size))
			std::abort();
	close(fd);
}

} // namespace

int main(int argc, char **argv)
{
	std::clock_t until = std::clock() + (argc > 1 ? std::atol(argv[1]) : 1000) * (CLOCKS_PER_SEC / 1000);
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
			std::perror("server");
			return 1;
		}
		threads.emplace_back(ask, ends[0], until);
		threads.emplace_back(answer_all, ends[1]);
	}
	for (auto &thread : threads)
		thread.join();
	return 0;
}

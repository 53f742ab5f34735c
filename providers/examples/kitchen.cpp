// SPDX-License-Identifier: MIT
// Cooks of a kitchen take orders from a queue. The events need no manifest: they are described where they happen.
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include <wtrace.h>

static struct wtrace_provider kitchen = WTRACE_PROVIDER_INIT(kitchen, "kitchen");
static std::queue<std::string> orders;
static std::mutex lock;

static void cook(unsigned who)
{
	for (;;) {
		std::unique_lock<std::mutex> hold(lock);
		if (orders.empty())
			return;
		std::string dish = orders.front();
		orders.pop();
		hold.unlock();

		struct wtrace_id order;
		wtrace_id_new(&order);
		wtrace_activity_set(&order); // this thread's events belong together from here on
		wtrace_event_start(&kitchen, "order_start", WTRACE_INFO, 0x1, wtrace_str("dish", dish.c_str()),
				   wtrace_u32("cook", who));
		std::this_thread::sleep_for(std::chrono::milliseconds(dish.size()));
		wtrace_event_stop(&kitchen, "order_stop", WTRACE_INFO, 0x1, wtrace_f64("stars", 5.0 / dish.size()));
		wtrace_activity_set(nullptr);
	}
}

int main()
{
	wtrace_register(&kitchen);
	for (const char *dish : {"soup", "salad", "noodles", "cake"})
		orders.push(dish);
	std::vector<std::thread> cooks;
	for (unsigned i = 1; i <= 2; i++)
		cooks.emplace_back(cook, i);
	for (auto &c : cooks)
		c.join();
	wtrace_unregister(&kitchen);
}

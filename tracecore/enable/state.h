/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside enable: this process's state records, which wt_enable_state_set (enable.h) publishes.
 */
#ifndef TRACECORE_ENABLE_STATE_H
#define TRACECORE_ENABLE_STATE_H

#include <stdint.h>

/** Clears the process's state records of a provider. Under the registration lock. */
void wt_state_forget(uint32_t provider);

#endif

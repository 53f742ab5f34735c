// SPDX-License-Identifier: MIT
#include "providers/sdk/thread.h"

__thread struct wt_sdk_thread wt_sdk_thread __attribute__((tls_model("initial-exec")));

// SPDX-License-Identifier: MIT
/* The help of each command: tools/help/COMMAND.txt, as it is shown; the options stand at the line "@options".
 */
#include "tracecore/base/embed.h"

#define HELP(command) WT_EMBED(cmd_##command##_help, "tools/help/" #command ".txt")

HELP(start);
HELP(stop);
HELP(record);
HELP(sample);
HELP(stat);
HELP(status);
HELP(list);
HELP(man);
HELP(test);
HELP(detect);
HELP(cpuinfo);
HELP(cmninfo);
HELP(view);
HELP(pause);
HELP(annotate);
HELP(dump);
HELP(info);
HELP(verify);
HELP(merge);
HELP(relog);
HELP(export);
HELP(mark);
HELP(enable);
HELP(disable);
HELP(recover);
HELP(doctor);
HELP(manifest);

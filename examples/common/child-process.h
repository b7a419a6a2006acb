// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_CHILD_PROCESS_H
#define GRADNET_CHILD_PROCESS_H

#include <functional>
#include <string>
#include <vector>

/// A piece of work for a process of its own.
struct ChildTask
{
    std::string name; ///< for messages
    /// Runs in the child: takes a function that reports progress, 0 to 1, and returns the result.
    std::function<std::string(const std::function<void(double)>&)> run;
};

/// What became of a task.
struct ChildResult
{
    bool isDone{false}; ///< false: it ended without a result
    std::string result; ///< what the task returned
    std::string log;    ///< what it printed, and how it ended if it failed
};

/**
 * Runs tasks in processes forked off this one, several at a time: ns-3 keeps random streams, packet
 * numbers and defaults beyond the end of a simulation, so each needs a process that has run none.
 *
 * \param tasks the tasks
 * \param parallel how many run at a time, at least 1
 * \param progress called now and then with the share of all tasks that is done, 0 to 1
 * \return a result for each task, in their order
 */
std::vector<ChildResult> RunChildren(const std::vector<ChildTask>& tasks,
                                     unsigned parallel,
                                     const std::function<void(double)>& progress);

#endif // GRADNET_CHILD_PROCESS_H

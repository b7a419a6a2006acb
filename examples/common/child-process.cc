// SPDX-License-Identifier: GPL-2.0-only

#include "child-process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <list>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

/// Marks the result on a child's message pipe; what comes before are shares, a line each.
constexpr char RESULT_MARK = '=';

/// A child that runs.
struct Child
{
    size_t task;
    pid_t pid;
    int messages; ///< read end; -1 once closed
    int log;      ///< read end; -1 once closed
    std::string received;
};

void
WriteAll(int descriptor, const std::string& text)
{
    size_t written = 0;
    while (written < text.size())
    {
        const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR)
        {
            _exit(1);
        }
        written += count > 0 ? count : 0;
    }
}

[[noreturn]] void
RunInChild(const ChildTask& task, int messages, int log)
{
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    int status = 0;
    try
    {
        int lastPercent = 0;
        const std::string result = task.run([&](double share) {
            const int percent = static_cast<int>(share * 100);
            if (percent > lastPercent)
            {
                lastPercent = percent;
                WriteAll(messages, std::to_string(share) + "\n");
            }
        });
        WriteAll(messages, RESULT_MARK + result);
    }
    catch (const std::exception& error)
    {
        std::cerr << error.what() << std::endl;
        status = 1;
    }
    std::cout << std::flush;
    _exit(status);
}

Child
Start(const std::vector<ChildTask>& tasks, size_t task)
{
    int messages[2];
    int log[2];
    if (pipe(messages) != 0 || pipe(log) != 0)
    {
        throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    std::cout << std::flush;
    std::cerr << std::flush;
    const pid_t pid = fork();
    if (pid < 0)
    {
        throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
    }
    if (pid == 0)
    {
        close(messages[0]);
        close(log[0]);
        RunInChild(tasks[task], messages[1], log[1]);
    }
    close(messages[1]);
    close(log[1]);
    return {task, pid, messages[0], log[0], {}};
}

/// Reads what is there; closes the pipe at its end.
void
Receive(int& descriptor, std::string& into)
{
    char buffer[4096];
    const ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count > 0)
    {
        into.append(buffer, count);
    }
    else if (count == 0 || errno != EINTR)
    {
        close(descriptor);
        descriptor = -1;
    }
}

double
GetShare(const std::string& received)
{
    const size_t end = received.find_last_of('\n');
    if (end == std::string::npos || received.find(RESULT_MARK) != std::string::npos)
    {
        return end == std::string::npos ? 0 : 1;
    }
    const size_t start = received.find_last_of('\n', end - 1);
    return std::stod(received.substr(start == std::string::npos ? 0 : start + 1));
}

void
Finish(Child& child, ChildResult& result)
{
    int status = 0;
    waitpid(child.pid, &status, 0);
    const size_t mark = child.received.find(RESULT_MARK);
    result.isDone = WIFEXITED(status) && WEXITSTATUS(status) == 0 && mark != std::string::npos;
    if (result.isDone)
    {
        result.result = child.received.substr(mark + 1);
    }
    else if (WIFSIGNALED(status))
    {
        result.log += std::string("ended by signal: ") + strsignal(WTERMSIG(status)) + "\n";
    }
}

} // namespace

std::vector<ChildResult>
RunChildren(const std::vector<ChildTask>& tasks,
            unsigned parallel,
            const std::function<void(double)>& progress)
{
    std::vector<ChildResult> results(tasks.size());
    std::list<Child> running;
    size_t next = 0;
    size_t finished = 0;
    while (finished < tasks.size())
    {
        while (next < tasks.size() && running.size() < parallel)
        {
            running.push_back(Start(tasks, next++));
        }
        std::vector<pollfd> descriptors;
        for (const Child& child : running)
        {
            // A negative descriptor is ignored by poll.
            descriptors.push_back({child.messages, POLLIN, 0});
            descriptors.push_back({child.log, POLLIN, 0});
        }
        if (poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR)
        {
            throw std::runtime_error(std::string("cannot wait for a process: ") +
                                     std::strerror(errno));
        }
        double share = finished;
        size_t i = 0;
        for (auto child = running.begin(); child != running.end();)
        {
            ChildResult& result = results[child->task];
            if (descriptors[i++].revents != 0)
            {
                Receive(child->messages, child->received);
            }
            if (descriptors[i++].revents != 0)
            {
                Receive(child->log, result.log);
            }
            share += GetShare(child->received);
            if (child->messages < 0 && child->log < 0)
            {
                Finish(*child, result);
                ++finished;
                child = running.erase(child);
                continue;
            }
            ++child;
        }
        progress(share / tasks.size());
    }
    return results;
}

// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_PROGRESS_BAR_H
#define GRADNET_PROGRESS_BAR_H

#include <chrono>
#include <string>

/**
 * Progress of a run with an estimate of the time left, on the standard error stream and only if
 * that is a terminal. ns-3's ShowProgress tells the simulated time, but not how much is left.
 */
class ProgressBar
{
  public:
    /// \param label what is under way
    explicit ProgressBar(std::string label);
    ~ProgressBar();

    /// \param share what is done, 0 to 1
    void Update(double share);

  private:
    using Clock = std::chrono::steady_clock;

    std::string m_label;
    bool m_isTerminal;
    bool m_isShown{false};
    Clock::time_point m_start;
    Clock::time_point m_lastShown;
};

#endif // GRADNET_PROGRESS_BAR_H

// SPDX-License-Identifier: GPL-2.0-only

#include "progress-bar.h"

#include <cmath>
#include <iostream>
#include <unistd.h>

ProgressBar::ProgressBar(std::string label)
    : m_label(std::move(label)),
      m_isTerminal(isatty(STDERR_FILENO) == 1),
      m_start(Clock::now()),
      m_lastShown(m_start)
{
}

ProgressBar::~ProgressBar()
{
    if (m_isShown)
    {
        std::cerr << "\r\033[K" << std::flush;
    }
}

void
ProgressBar::Update(double share)
{
    constexpr std::chrono::milliseconds INTERVAL{200};
    constexpr int WIDTH = 30;
    const auto now = Clock::now();
    if (!m_isTerminal || now - m_lastShown < INTERVAL)
    {
        return;
    }
    m_isShown = true;
    m_lastShown = now;
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    const int filled = static_cast<int>(share * WIDTH);
    std::cerr << "\r\033[K" << m_label << " [" << std::string(filled, '#')
              << std::string(WIDTH - filled, '.') << "] " << std::lround(share * 100) << "%, "
              << std::lround(elapsed) << " s";
    if (share > 0.02)
    {
        std::cerr << ", about " << std::lround(elapsed / share * (1 - share)) << " s left";
    }
    std::cerr << std::flush;
}

// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <iostream>
#include <sstream>

// Only libraries built with logging have anything to say.
int
main()
{
    std::ostringstream said;
    std::clog.rdbuf(said.rdbuf());
    ns3::LogComponentEnableAll(ns3::LOG_LEVEL_ALL);
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
    ns3::LogComponentDisableAll(ns3::LOG_LEVEL_ALL);
    std::clog.rdbuf(nullptr);
    return said.str().empty() ? 3 : 0;
}

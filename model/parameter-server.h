// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_PARAMETER_SERVER_H
#define GRADNET_PARAMETER_SERVER_H

#include "collective-player.h"

namespace ns3
{

/**
 * \ingroup gradnet
 * A shard of a synchronous parameter server: adds the gradients of each part and, once every worker
 * has pushed, sends the new parameters to each. It computes nothing else.
 */
class ParameterServer : public CollectivePlayer
{
  public:
    static TypeId GetTypeId();

  private:
    void UnitCompleted(uint32_t iteration, uint32_t unit) override;
};

} // namespace ns3

#endif // GRADNET_PARAMETER_SERVER_H

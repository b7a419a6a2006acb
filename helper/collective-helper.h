// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COLLECTIVE_HELPER_H
#define GRADNET_COLLECTIVE_HELPER_H

#include "ns3/application-container.h"
#include "ns3/collective-player.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/training-profile.h"
#include "ns3/training-worker.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * \ingroup gradnet
 * What the helpers of all training jobs share: the model, and the attributes of channels, workers
 * and servers.
 */
class CollectiveHelper
{
  public:
    /// \param profile the model; at least one layer
    explicit CollectiveHelper(std::shared_ptr<const gradnet::TrainingProfile> profile);

    /**
     * \param typeId a TensorChannel; the default is ns3::StreamTensorChannel
     */
    void SetChannelType(const std::string& typeId);

    /**
     * \param name an attribute of the channel
     * \param value its value
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param name an attribute of TrainingWorker
     * \param value its value
     */
    void SetWorkerAttribute(const std::string& name, const AttributeValue& value);

    /// \return the plan of the job that was installed last
    const gradnet::CommunicationPlan& GetPlan() const;

    /**
     * \param workers applications that Install returned
     * \param stream first stream number to use
     * \return the number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& workers, int64_t stream);

  protected:
    /// Gives an application its node, channel and score.
    void Equip(Ptr<CollectivePlayer> player,
               Ptr<Node> node,
               uint32_t rank,
               const CollectiveScore& score) const;
    /// \return a worker with the model
    Ptr<TrainingWorker> MakeWorker() const;
    /// \return where the application listens
    static Address GetAddress(Ptr<CollectivePlayer> player);

    std::shared_ptr<const gradnet::TrainingProfile> m_profile;
    std::shared_ptr<const gradnet::CommunicationPlan> m_plan;

  private:
    ObjectFactory m_channel;
    ObjectFactory m_worker;
};

} // namespace ns3

#endif // GRADNET_COLLECTIVE_HELPER_H

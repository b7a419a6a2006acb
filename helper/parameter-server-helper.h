// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_PARAMETER_SERVER_HELPER_H
#define GRADNET_PARAMETER_SERVER_HELPER_H

#include "collective-helper.h"

namespace ns3
{

/**
 * \ingroup gradnet
 * Builds a job of synchronous training with parameter servers: workers are ranks 0 to w-1, servers
 * ranks w to w+s-1; parts are spread over the servers by bytes.
 */
class ParameterServerHelper : public CollectiveHelper
{
  public:
    /// \param profile the model
    explicit ParameterServerHelper(std::shared_ptr<const gradnet::TrainingProfile> profile);

    /**
     * \param bytes longest part in bytes, a multiple of 4; 0 keeps tensors whole. Default
     *        4,000,000
     */
    void SetPartBytes(uint64_t bytes);

    /**
     * \param name an attribute of ParameterServer
     * \param value its value
     */
    void SetServerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param workers hosts of the workers, each with an address
     * \param servers hosts of the servers, each with an address
     * \return the workers' applications, then the servers'
     */
    ApplicationContainer Install(const NodeContainer& workers, const NodeContainer& servers);

  private:
    uint64_t m_partBytes{4'000'000};
    ObjectFactory m_server;
};

} // namespace ns3

#endif // GRADNET_PARAMETER_SERVER_HELPER_H

// SPDX-License-Identifier: GPL-2.0-only

#include "data-center-defaults.h"

#include "ns3/config.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double TEN_GIGABIT = 1e10;
constexpr uint32_t FULL_FRAME_BYTES = 1500;

/// IPv4, TCP, and a full list of SACK blocks.
constexpr uint16_t TCP_HEADER_BYTES = 52;

} // namespace

uint64_t
DataCenterDefaults::GetBandwidthDelayBytes() const
{
    constexpr int LONGEST_ROUND_TRIP = 12;
    return rate.GetBitRate() / 8.0 * LONGEST_ROUND_TRIP * delay.GetSeconds();
}

uint32_t
DataCenterDefaults::GetSendBufferBytes() const
{
    // Measured best: 0.4, 0.6 and 1.2 MB at 10, 25 and 100 Gb/s, which is a square root.
    const double measured = 400'000 * std::sqrt(std::max(1.0, rate.GetBitRate() / TEN_GIGABIT));
    const double longPath = std::min(2.0 * GetBandwidthDelayBytes(), 500e6);
    return static_cast<uint32_t>(std::max(measured, longPath));
}

uint32_t
DataCenterDefaults::GetReTxThreshold() const
{
    if (reTxThreshold > 0 || !spraying)
    {
        return reTxThreshold > 0 ? reTxThreshold : 3;
    }
    // Measured best: 100 segments of 1500 B, 33 of 9000 B; fewer resend what was only overtaken.
    return std::min(100U, 300'000U / mtu);
}

QueueSize
DataCenterDefaults::GetMarkingThreshold(DataRate portRate) const
{
    if (markingThreshold.GetValue() > 0)
    {
        return markingThreshold;
    }
    const double bytes = 65 * FULL_FRAME_BYTES * portRate.GetBitRate() / TEN_GIGABIT;
    const double unit = buffer.GetUnit() == QueueSizeUnit::PACKETS ? mtu : 1;
    const double most = 0.4 * buffer.GetValue();
    return QueueSize(buffer.GetUnit(),
                     static_cast<uint32_t>(std::max(1.0, std::min(bytes / unit, most))));
}

std::vector<DataCenterDefaults::Setting>
DataCenterDefaults::GetSettings() const
{
    const std::string sendBuffer = std::to_string(GetSendBufferBytes());
    const std::string receiveBuffer = std::to_string(4 * GetSendBufferBytes());
    const std::string tcp = "ns3::TcpSocket";
    const std::string tcpBase = "ns3::TcpSocketBase";
    return {
        {"ns3::TcpL4Protocol",
         "SocketType",
         "ns3::" + congestionOps,
         "it is the transport of this run"},
        {"ns3::TcpL4Protocol",
         "RecoveryType",
         "ns3::TcpClassicRecovery",
         "ns3::TcpPrrRecovery can leave a window below a segment with nothing in flight, for ever"},
        {tcp, "SegmentSize", std::to_string(mtu - TCP_HEADER_BYTES), "a segment fills a frame"},
        {tcp, "SndBufSize", sendBuffer, "a window covers the bandwidth-delay product"},
        {tcp, "RcvBufSize", receiveBuffer, "a window that is used up stalls recovery"},
        {tcp,
         "DelAckTimeout",
         std::to_string(std::min<int64_t>(200'000, minRto.GetNanoSeconds() / 2)) + "ns",
         "a delayed acknowledgment must come before the timeout"},
        {tcp, "ConnTimeout", "5ms", "a lost SYN would stall for seconds"},
        {tcp, "PersistTimeout", "5ms", "a lost window update would stall for seconds"},
        {tcp, "ConnCount", "1000", "a connection must outlive a congested network"},
        {tcp, "DataRetries", "1000", "a connection must outlive a congested network"},
        {tcp, "TcpNoDelay", "true", "a tensor's last segment would wait for an acknowledgment"},
        {tcpBase,
         "MinRto",
         std::to_string(minRto.GetNanoSeconds()) + "ns",
         "it is this run's setting"},
        {tcpBase, "ClockGranularity", "10us", "at 1 ms it is a hundred round trips"},
        {tcpBase, "Timestamp", "false", "their resolution is 1 ms"},
        {tcpBase,
         "ReTxThreshold",
         std::to_string(GetReTxThreshold()),
         "it fits the reordering of this run's paths"},
        {"ns3::RttEstimator",
         "InitialEstimation",
         "100us",
         "at 1 s a first loss would stall for seconds"},
    };
}

void
DataCenterDefaults::Apply() const
{
    for (const Setting& setting : GetSettings())
    {
        Config::SetDefault(setting.typeId + "::" + setting.attribute, StringValue(setting.value));
    }
}

std::vector<std::string>
DataCenterDefaults::Check() const
{
    std::vector<std::string> sentences;
    for (const Setting& setting : GetSettings())
    {
        TypeId::AttributeInformation info;
        TypeId::LookupByName(setting.typeId).LookupAttributeByName(setting.attribute, &info);
        const auto wanted = info.checker->CreateValidValue(StringValue(setting.value));
        const std::string value = info.initialValue->SerializeToString(info.checker);
        const std::string expected = wanted->SerializeToString(info.checker);
        if (value != expected)
        {
            sentences.push_back(setting.typeId + "::" + setting.attribute + " is " + value +
                                " instead of " + expected + ": " + setting.reason + ".");
        }
    }
    return sentences;
}

TrafficControlHelper
DataCenterDefaults::MakeRedEcnQueue(DataRate portRate) const
{
    const double threshold = GetMarkingThreshold(portRate).GetValue();
    TrafficControlHelper helper;
    helper.SetRootQueueDisc("ns3::RedQueueDisc",
                            "MaxSize",
                            QueueSizeValue(buffer),
                            "MinTh",
                            DoubleValue(threshold),
                            "MaxTh",
                            DoubleValue(threshold),
                            "QW",
                            DoubleValue(1),
                            "Gentle",
                            BooleanValue(false),
                            "UseEcn",
                            BooleanValue(true),
                            "UseHardDrop",
                            BooleanValue(false),
                            "MeanPktSize",
                            UintegerValue(mtu),
                            "LinkBandwidth",
                            DataRateValue(portRate));
    return helper;
}

TrafficControlHelper
DataCenterDefaults::MakeFifoQueue() const
{
    TrafficControlHelper helper;
    helper.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", QueueSizeValue(buffer));
    return helper;
}

TrafficControlHelper
DataCenterDefaults::MakeHostQueue() const
{
    TrafficControlHelper helper;
    helper.SetRootQueueDisc("ns3::FqCoDelQueueDisc",
                            "MaxSize",
                            StringValue("1000000p"),
                            "UseEcn",
                            BooleanValue(false),
                            "Target",
                            StringValue("1000s"),
                            "Interval",
                            StringValue("1000s"));
    return helper;
}

} // namespace ns3

// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-header.h"

#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TensorHeader);

TensorHeader::TensorHeader(const gradnet::Tensor& tensor, uint64_t offset, uint64_t length)
    : m_tensor(tensor),
      m_offset(offset),
      m_length(length)
{
}

TypeId
TensorHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TensorHeader")
                            .SetParent<Header>()
                            .SetGroupName("Gradnet")
                            .AddConstructor<TensorHeader>();
    return tid;
}

TypeId
TensorHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
TensorHeader::GetSerializedSize() const
{
    return SIZE;
}

void
TensorHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_tensor.job);
    start.WriteHtonU16(m_tensor.from);
    start.WriteHtonU16(m_tensor.to);
    start.WriteHtonU16(m_tensor.layer);
    start.WriteHtonU32(m_tensor.iteration);
    start.WriteHtonU32(m_tensor.part);
    start.WriteHtonU16(m_tensor.step);
    start.WriteU8(static_cast<uint8_t>(m_tensor.phase));
    start.WriteU8(0);
    start.WriteHtonU32(static_cast<uint32_t>(std::lround(
        static_cast<double>(m_tensor.lossTolerance) * std::numeric_limits<uint32_t>::max())));
    start.WriteHtonU64(m_tensor.bytes);
    start.WriteHtonU64(m_offset);
    start.WriteHtonU64(m_length);
}

uint32_t
TensorHeader::Deserialize(Buffer::Iterator start)
{
    m_tensor.job = start.ReadNtohU16();
    m_tensor.from = start.ReadNtohU16();
    m_tensor.to = start.ReadNtohU16();
    m_tensor.layer = start.ReadNtohU16();
    m_tensor.iteration = start.ReadNtohU32();
    m_tensor.part = start.ReadNtohU32();
    m_tensor.step = start.ReadNtohU16();
    m_tensor.phase = static_cast<gradnet::TensorPhase>(start.ReadU8());
    start.ReadU8();
    m_tensor.lossTolerance = static_cast<float>(static_cast<double>(start.ReadNtohU32()) /
                                                std::numeric_limits<uint32_t>::max());
    m_tensor.bytes = start.ReadNtohU64();
    m_offset = start.ReadNtohU64();
    m_length = start.ReadNtohU64();
    return SIZE;
}

void
TensorHeader::Print(std::ostream& os) const
{
    os << gradnet::ToString(m_tensor.phase) << " iteration " << m_tensor.iteration << " part "
       << m_tensor.part << " layer " << m_tensor.layer << " rank " << m_tensor.from << "->"
       << m_tensor.to << " bytes " << m_offset << "+" << m_length << "/" << m_tensor.bytes;
}

const gradnet::Tensor&
TensorHeader::GetTensor() const
{
    return m_tensor;
}

uint64_t
TensorHeader::GetOffset() const
{
    return m_offset;
}

uint64_t
TensorHeader::GetLength() const
{
    return m_length;
}

} // namespace ns3

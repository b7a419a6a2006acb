// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-order.h"

#include <algorithm>
#include <tuple>

namespace gradnet
{

void
FifoTensorOrder::Add(const PendingTensor& tensor)
{
    m_queue.push_back(tensor);
}

std::optional<TensorSlice>
FifoTensorOrder::Poll(uint64_t)
{
    if (m_queue.empty())
    {
        return std::nullopt;
    }
    const PendingTensor tensor = m_queue.front();
    m_queue.pop_front();
    return TensorSlice{tensor.id, 0, tensor.bytes, true};
}

PriorityTensorOrder::PriorityTensorOrder(uint64_t sliceBytes, uint64_t creditBytes)
    : m_sliceBytes(sliceBytes),
      m_creditBytes(std::max<uint64_t>(creditBytes, 1))
{
}

bool
PriorityTensorOrder::Entry::operator<(const Entry& other) const
{
    return std::tie(tensor.priority, arrival) > std::tie(other.tensor.priority, other.arrival);
}

void
PriorityTensorOrder::Add(const PendingTensor& tensor)
{
    m_queue.push({tensor, m_arrivals++, 0});
}

std::optional<TensorSlice>
PriorityTensorOrder::Poll(uint64_t outstanding)
{
    if (m_queue.empty() || outstanding >= m_creditBytes)
    {
        return std::nullopt;
    }
    Entry entry = m_queue.top();
    m_queue.pop();
    const uint64_t bytes = std::min(m_sliceBytes, entry.tensor.bytes - entry.sent);
    const TensorSlice slice{entry.tensor.id,
                            entry.sent,
                            bytes,
                            entry.sent + bytes == entry.tensor.bytes};
    entry.sent += bytes;
    if (!slice.last)
    {
        m_queue.push(entry);
    }
    return slice;
}

} // namespace gradnet

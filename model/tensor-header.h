// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TENSOR_HEADER_H
#define GRADNET_TENSOR_HEADER_H

#include "ns3/header.h"
#include "ns3/tensor.h"

namespace ns3
{

/**
 * \ingroup gradnet
 * Framing before each slice of a tensor on a stream: 48 bytes in network order.
 */
class TensorHeader : public Header
{
  public:
    /// Length on the wire in bytes.
    static constexpr uint32_t SIZE = 48;

    TensorHeader() = default;

    /**
     * \param tensor the tensor that the slice belongs to
     * \param offset the slice's first byte within it
     * \param length the slice's bytes, which follow the header
     */
    TensorHeader(const gradnet::Tensor& tensor, uint64_t offset, uint64_t length);

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /// \return the tensor
    const gradnet::Tensor& GetTensor() const;
    /// \return the slice's first byte within the tensor
    uint64_t GetOffset() const;
    /// \return the slice's length in bytes
    uint64_t GetLength() const;

  private:
    gradnet::Tensor m_tensor;
    uint64_t m_offset{0};
    uint64_t m_length{0};
};

} // namespace ns3

#endif // GRADNET_TENSOR_HEADER_H

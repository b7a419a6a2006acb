// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TENSOR_ORDER_H
#define GRADNET_TENSOR_ORDER_H

#include <boost/heap/priority_queue.hpp>
#include <cstdint>
#include <deque>
#include <optional>

namespace gradnet
{

/// A tensor that waits to be sent, as the order sees it.
struct PendingTensor
{
    uint64_t id{0};       ///< the caller's handle
    uint32_t priority{0}; ///< smaller leaves first; the frontmost layer of the tensor
    uint64_t bytes{0};    ///< what is left to send, in bytes
};

/// A run of a tensor's bytes that leaves without interruption.
struct TensorSlice
{
    uint64_t id{0};     ///< the tensor's handle
    uint64_t offset{0}; ///< first byte within the tensor
    uint64_t bytes{0};  ///< length in bytes
    bool last{false};   ///< true for the tensor's last slice
};

/**
 * Decides which bytes leave a host next on one connection. It knows neither sizes of packets nor
 * time; the caller polls it whenever the connection takes more.
 */
class TensorOrder
{
  public:
    virtual ~TensorOrder() = default;

    /**
     * Adds a tensor that is ready to be sent.
     *
     * \param tensor the tensor; its bytes must be above 0
     */
    virtual void Add(const PendingTensor& tensor) = 0;

    /**
     * Takes the next slice out.
     *
     * \param outstanding bytes handed out before and not yet acknowledged
     * \return the slice, or nothing while no tensor waits or the credit is used up
     */
    virtual std::optional<TensorSlice> Poll(uint64_t outstanding) = 0;
};

/// First ready, first sent, each tensor whole: what frameworks do without a scheduler.
class FifoTensorOrder : public TensorOrder
{
  public:
    void Add(const PendingTensor& tensor) override;
    std::optional<TensorSlice> Poll(uint64_t outstanding) override;

  private:
    std::deque<PendingTensor> m_queue;
};

/**
 * Front layers first, in slices, so that a tensor needed earlier overtakes one that is under way.
 *
 * Slices and consumption order are P3's (Jayarajan et al., "Priority-based Parameter Propagation
 * for Distributed DNN Training", MLSys 2019); the credit that bounds what can no longer be
 * overtaken is ByteScheduler's (Peng et al., SOSP 2019). Equal priorities leave in order of
 * arrival.
 */
class PriorityTensorOrder : public TensorOrder
{
  public:
    /**
     * \param sliceBytes longest slice in bytes, above 0
     * \param creditBytes bytes that may be outstanding when a slice is handed out; 0 is taken as 1,
     *        one slice at a time
     */
    PriorityTensorOrder(uint64_t sliceBytes, uint64_t creditBytes);

    void Add(const PendingTensor& tensor) override;
    std::optional<TensorSlice> Poll(uint64_t outstanding) override;

  private:
    struct Entry
    {
        PendingTensor tensor;
        uint64_t arrival;
        uint64_t sent;

        bool operator<(const Entry& other) const;
    };

    uint64_t m_sliceBytes;
    uint64_t m_creditBytes;
    uint64_t m_arrivals{0};
    boost::heap::priority_queue<Entry> m_queue;
};

} // namespace gradnet

#endif // GRADNET_TENSOR_ORDER_H

// SPDX-License-Identifier: GPL-2.0-only

#include "communication-plan.h"

#include "collective-schedule.h"

#include <algorithm>

namespace gradnet
{

namespace
{

constexpr uint64_t LARGE_TENSOR_BYTES = 4'000'000;

uint32_t
CountParts(uint64_t bytes, uint32_t servers, uint64_t partBytes)
{
    if (partBytes == 0)
    {
        return bytes >= LARGE_TENSOR_BYTES ? servers : 1;
    }
    return static_cast<uint32_t>((bytes + partBytes - 1) / partBytes);
}

} // namespace

std::vector<std::vector<uint32_t>>
CommunicationPlan::GetUnitsByLayer(uint32_t layers) const
{
    std::vector<std::vector<uint32_t>> byLayer(layers);
    for (uint32_t unit = 0; unit < units.size(); ++unit)
    {
        for (uint32_t layer = units[unit].frontLayer; layer <= units[unit].backLayer; ++layer)
        {
            byLayer[layer].push_back(unit);
        }
    }
    return byLayer;
}

CommunicationPlan
MakeParameterServerPlan(const TrainingProfile& profile, uint32_t servers, uint64_t partBytes)
{
    CommunicationPlan plan;
    std::vector<uint64_t> load(servers, 0);
    for (uint32_t layer = 0; layer < profile.layers.size(); ++layer)
    {
        const uint64_t bytes = profile.layers[layer].gradientBytes;
        const uint32_t parts = CountParts(bytes, servers, partBytes);
        for (uint32_t part = 0; bytes > 0 && part < parts; ++part)
        {
            // A tensor cut over all servers has a part on each, however their loads differ.
            const auto server = partBytes == 0 && parts == servers
                                    ? load.begin() + part
                                    : std::min_element(load.begin(), load.end());
            const uint64_t size = GetChunkBytes(bytes, parts, part);
            *server += size;
            plan.units.push_back(
                {layer, layer, size, static_cast<uint32_t>(server - load.begin())});
        }
    }
    return plan;
}

CommunicationPlan
MakeAllReducePlan(const TrainingProfile& profile, uint64_t bucketBytes)
{
    CommunicationPlan plan;
    bool open = false;
    for (uint32_t layer = profile.layers.size(); layer-- > 0;)
    {
        const uint64_t bytes = profile.layers[layer].gradientBytes;
        if (bytes == 0)
        {
            continue;
        }
        if (!open)
        {
            plan.units.push_back({layer, layer, 0, 0});
        }
        CommunicationUnit& bucket = plan.units.back();
        bucket.frontLayer = layer;
        bucket.bytes += bytes;
        open = bucket.bytes < bucketBytes;
    }
    std::reverse(plan.units.begin(), plan.units.end());
    return plan;
}

} // namespace gradnet

// SPDX-License-Identifier: GPL-2.0-only

#include "results-writer.h"

#include "command-line-options.h"
#include "results-table.h"

#include <boost/algorithm/string/join.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace
{

std::string
ToUs(const ns3::Time& time)
{
    return time.IsStrictlyNegative() ? "" : FormatNumber(time.GetSeconds() * 1e6, 6);
}

/// A CSV field; quoted where it holds a separator.
std::string
Quote(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (const char character : text)
    {
        quoted += character == '"' ? "\"\"" : std::string(1, character);
    }
    return quoted + "\"";
}

std::string
MakeIterations(const ns3::TrainingScenario& scenario)
{
    std::ostringstream csv;
    csv << "iteration,measured,latest_worker,start_us,duration_us,compute_us,waiting_us,"
           "network_us\n";
    for (const auto& record : scenario.GetStatistics().GetIterations())
    {
        csv << record.iteration << ","
            << (record.iteration >= scenario.GetConfig().workload.warmUp ? "yes" : "no") << ","
            << record.worker << "," << ToUs(record.start) << "," << ToUs(record.duration) << ","
            << ToUs(record.compute) << "," << ToUs(record.waiting) << "," << ToUs(record.network)
            << "\n";
    }
    return csv.str();
}

std::string
MakeTensors(const ns3::TrainingScenario& scenario)
{
    const auto& layers = scenario.GetConfig().workload.profile->layers;
    std::ostringstream csv;
    csv << "iteration,phase,layer,layer_name,part,step,from,to,bytes,received_bytes,queued_us,"
           "sent_us,received_us,fct_us,ideal_us\n";
    for (const auto& record : scenario.GetStatistics().GetTensors())
    {
        const gradnet::Tensor& tensor = record.tensor;
        const bool isReceived = !record.received.IsStrictlyNegative();
        csv << tensor.iteration << "," << gradnet::ToString(tensor.phase) << "," << tensor.layer
            << "," << Quote(layers[tensor.layer].name) << "," << tensor.part << "," << tensor.step
            << "," << scenario.GetRankName(tensor.from) << "," << scenario.GetRankName(tensor.to)
            << "," << tensor.bytes << "," << record.receivedBytes << "," << ToUs(record.queued)
            << "," << ToUs(record.sent) << "," << ToUs(record.received) << ","
            << (isReceived ? ToUs(record.received - record.queued) : "") << ","
            << FormatNumber(scenario.GetIdealSeconds(tensor) * 1e6, 6) << "\n";
    }
    return csv.str();
}

std::string
MakeLinks(const ns3::TrainingScenario& scenario, const RunSummary& summary)
{
    std::ostringstream csv;
    csv << "from,to,rate_gbps,packets,wire_bytes,load_percent,marked_packets,dropped_packets,"
           "drop_reasons\n";
    for (const auto& link : scenario.GetLinks())
    {
        uint64_t dropped = 0;
        std::vector<std::string> reasons;
        for (const auto& [reason, packets] : link.drops)
        {
            dropped += packets;
            reasons.push_back(reason + "=" + std::to_string(packets));
        }
        const double capacity = link.rate.GetBitRate() / 8.0 * summary.runMs / 1e3;
        csv << link.from << "," << link.to << "," << link.rate.GetBitRate() / 1e9 << ","
            << link.packets << "," << link.wireBytes << ","
            << (capacity > 0 ? FormatNumber(100 * link.wireBytes / capacity, 3) : "") << ","
            << link.marked << "," << dropped << "," << Quote(boost::join(reasons, ";")) << "\n";
    }
    return csv.str();
}

std::string
MakeSummary(const ns3::TrainingScenario& scenario, const RunSummary& summary)
{
    const auto& workload = scenario.GetConfig().workload;
    nlohmann::ordered_json json;
    json["outcome"] = summary.outcome;
    json["model"] = workload.profile->name;
    json["workers"] = workload.workers;
    json["servers"] = workload.servers;
    json["measured_iterations"] = workload.iterations;
    json["iteration_ms"] = {{"median", summary.iterationMs},
                            {"min", summary.iterationMinMs},
                            {"max", summary.iterationMaxMs}};
    json["compute_ms"] = summary.computeMs;
    json["waiting_ms"] = summary.waitingMs;
    json["network_ms"] = summary.networkMs;
    json["run_ms"] = summary.runMs;
    json["bound_ms"] = summary.boundMs;
    json["tensor_fct_us"] = {{"p50", summary.fctP50Us}, {"p99", summary.fctP99Us}};
    json["tensor_slowdown"] = {{"p50", summary.slowdownP50}, {"p99", summary.slowdownP99}};
    json["tensors"] = summary.tensors;
    json["delivered_bytes"] = summary.deliveredBytes;
    json["resent_bytes"] = summary.resentBytes;
    json["timeouts"] = summary.timeouts;
    json["marked_packets"] = summary.markedPackets;
    json["dropped_packets"] = summary.drops;
    json["stuck"] = summary.stuck;
    // A layer's name may be in any encoding.
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace

void
PrepareFolder(const std::string& folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string probe = folder + "/.gradnet-probe";
    std::ofstream file(probe);
    if (error || !file)
    {
        throw UsageError("cannot write to the folder " + folder +
                         (error ? ": " + error.message() : ""));
    }
    file.close();
    std::filesystem::remove(probe, error);
}

void
WriteFile(const std::string& path, const std::string& content)
{
    const std::string partial = path + ".part";
    std::ofstream file(partial, std::ios::binary);
    file << content;
    file.close();
    if (!file || std::rename(partial.c_str(), path.c_str()) != 0)
    {
        std::remove(partial.c_str());
        throw std::runtime_error("cannot write the file " + path);
    }
}

void
WriteResults(const std::string& folder,
             const ns3::TrainingScenario& scenario,
             const RunSummary& summary)
{
    WriteFile(folder + "/iterations.csv", MakeIterations(scenario));
    WriteFile(folder + "/tensors.csv", MakeTensors(scenario));
    WriteFile(folder + "/links.csv", MakeLinks(scenario, summary));
    WriteFile(folder + "/summary.json", MakeSummary(scenario, summary));
}

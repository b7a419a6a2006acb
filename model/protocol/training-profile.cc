// SPDX-License-Identifier: GPL-2.0-only

#include "training-profile.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <cassert>
#include <charconv>
#include <filesystem>
#include <locale>
#include <numeric>
#include <optional>
#include <sstream>

namespace gradnet
{

namespace
{

constexpr std::size_t MAX_LINE_BYTES = 65536;
constexpr std::size_t MAX_SHOWN_BYTES = 80;
constexpr std::size_t MAX_LAYERS = 65535; // a tensor's layer is 16 bits wide
constexpr uint64_t MAX_WHOLE = uint64_t{1} << 53;
constexpr uint64_t VALUE_BYTES = 4; // fp32
constexpr double MAX_LAYER_SECONDS = 86400;
constexpr const char* CSV_HEADER = "layer,forward_us,backward_us,gradient_bytes";
constexpr const char* BLANKS = " \t\r";
constexpr const char* END = "the end of the file";

/// A parallelism of ASTRA-sim 1.0.
struct Parallelism
{
    const char* keyword;
    bool overAllWorkers; ///< weight gradients are reduced over all workers, not within groups
};

constexpr std::array<Parallelism, 11> PARALLELISMS{{
    {"DATA", true},
    {"MICRO", true},
    {"HYBRID_DLRM", true},
    {"HYBRID_DLRM_ENHANCED", true},
    {"HYBRID_TRANSFORMER", false},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", false},
    {"HYBRID_DATA_MODEL", false},
    {"HYBRID_MODEL_DATA", false},
    {"HYBRID_CUSTOMIZED", false},
    {"MODEL", false},
    {"DISTRIBUTED_INFERENCE", false},
}};

using Fields = std::vector<std::string>;

const Parallelism*
FindParallelism(const std::string& keyword)
{
    const auto found =
        std::find_if(PARALLELISMS.begin(), PARALLELISMS.end(), [&keyword](const auto& known) {
            return known.keyword == keyword;
        });
    return found == PARALLELISMS.end() ? nullptr : &*found;
}

std::string
ListParallelisms(bool overAllWorkersOnly)
{
    Fields keywords;
    for (const auto& known : PARALLELISMS)
    {
        if (known.overAllWorkers || !overAllWorkersOnly)
        {
            keywords.emplace_back(known.keyword);
        }
    }
    return boost::join(keywords, ", ");
}

/// What was read, fit for one line of a terminal.
std::string
Show(const std::string& text)
{
    constexpr const char* digits = "0123456789ABCDEF";
    std::string shown = text.empty() ? "\"\"" : "";
    for (const unsigned char c : text.substr(0, MAX_SHOWN_BYTES))
    {
        if (c >= ' ' && c <= '~')
        {
            shown += static_cast<char>(c);
        }
        else
        {
            shown.append("\\x").append(1, digits[c / 16]).append(1, digits[c % 16]);
        }
    }
    return text.size() > MAX_SHOWN_BYTES ? shown + "..." : shown;
}

Fields
SplitAtCommas(const std::string& line)
{
    Fields fields;
    boost::split(fields, line, boost::is_any_of(","));
    for (auto& field : fields)
    {
        boost::trim_if(field, boost::is_any_of(BLANKS));
    }
    return fields;
}

Fields
SplitAtBlanks(const std::string& line)
{
    Fields fields;
    boost::split(fields, line, boost::is_any_of(BLANKS), boost::token_compress_on);
    return fields;
}

/// Gives the lines that count, without blanks around them, and says where a fault is.
class LineReader
{
  public:
    LineReader(std::istream& in, const std::string& fileName)
        : m_in(in),
          m_fileName(fileName)
    {
    }

    /// \return the next line that is neither blank nor a comment, or nothing at the end
    std::optional<std::string> Next()
    {
        while (ReadLine())
        {
            boost::trim_if(m_text, boost::is_any_of(BLANKS));
            if (!m_text.empty() && m_text.front() != '#')
            {
                CheckText();
                return m_text;
            }
        }
        if (!m_in.eof())
        {
            Refuse("a read error", "a text file");
        }
        return std::nullopt;
    }

    [[noreturn]] void Refuse(const std::string& got, const std::string& expected) const
    {
        throw ProfileError(m_fileName, std::max<std::size_t>(m_line, 1), got, expected);
    }

    std::size_t GetLine() const
    {
        return m_line;
    }

  private:
    bool ReadLine()
    {
        m_text.clear();
        char c = 0;
        while (m_in.get(c) && c != '\n' && m_text.size() <= MAX_LINE_BYTES)
        {
            m_text += c;
        }
        if (!m_in && m_text.empty())
        {
            return false;
        }
        ++m_line;
        if (m_text.size() > MAX_LINE_BYTES)
        {
            Refuse("a longer line", "one of at most " + std::to_string(MAX_LINE_BYTES) + " bytes");
        }
        return true;
    }

    void CheckText() const
    {
        const auto isControl = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
        if (std::any_of(m_text.begin(), m_text.end(), isControl))
        {
            Refuse(Show(m_text), "text without control characters");
        }
    }

    std::istream& m_in;
    const std::string& m_fileName;
    std::string m_text;
    std::size_t m_line{0};
};

uint64_t
ReadWhole(const LineReader& reader,
          const std::string& what,
          const std::string& text,
          uint64_t least = 0)
{
    uint64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc{} || end != last || value < least || value > MAX_WHOLE)
    {
        reader.Refuse(what + " " + Show(text),
                      "a whole number from " + std::to_string(least) + " to " +
                          std::to_string(MAX_WHOLE));
    }
    return value;
}

double
ReadMicroseconds(const LineReader& reader, const std::string& what, const std::string& text)
{
    // A stream alone would also take signs, "inf" and hexadecimal figures.
    const bool plain = text.find_first_not_of("0123456789.eE+-") == std::string::npos &&
                       text.find_first_of("+-") != 0;
    std::istringstream figure(text);
    figure.imbue(std::locale::classic());
    double value = 0;
    if (!plain || !(figure >> value) || figure.peek() != std::istringstream::traits_type::eof())
    {
        reader.Refuse(what + " " + Show(text), "a number of microseconds from 0");
    }
    return value / 1e6;
}

void
CheckTime(const LineReader& reader, const char* pass, double seconds)
{
    if (!(seconds <= MAX_LAYER_SECONDS))
    {
        std::ostringstream got;
        got << seconds << " s of " << pass << " compute";
        reader.Refuse(got.str(), "at most 86400 s");
    }
}

void
AddLayer(const LineReader& reader, TrainingProfile& profile, const ProfileLayer& layer)
{
    CheckTime(reader, "forward", layer.forwardSeconds);
    CheckTime(reader, "backward", layer.backwardSeconds);
    if (layer.gradientBytes % VALUE_BYTES != 0)
    {
        reader.Refuse(std::to_string(layer.gradientBytes) + " gradient bytes",
                      "a multiple of 4 (whole fp32 values)");
    }
    if (profile.layers.size() == MAX_LAYERS)
    {
        reader.Refuse("one more layer", "at most " + std::to_string(MAX_LAYERS) + " layers");
    }
    profile.layers.push_back(layer);
}

ProfileLayer
ReadCsvRow(const LineReader& reader, const std::string& line)
{
    const Fields fields = SplitAtCommas(line);
    if (fields.size() != 4)
    {
        reader.Refuse(std::to_string(fields.size()) + " fields",
                      std::string("4 (") + CSV_HEADER + ")");
    }
    if (fields[0].empty())
    {
        reader.Refuse("layer " + Show(fields[0]), "a name");
    }
    return {fields[0],
            ReadMicroseconds(reader, "forward_us", fields[1]),
            ReadMicroseconds(reader, "backward_us", fields[2]),
            ReadWhole(reader, "gradient_bytes", fields[3])};
}

void
ReadCsv(LineReader& reader, TrainingProfile& profile)
{
    while (const auto line = reader.Next())
    {
        AddLayer(reader, profile, ReadCsvRow(reader, *line));
    }
    if (profile.layers.empty())
    {
        reader.Refuse(END, std::string("a row of ") + CSV_HEADER);
    }
}

/// One of the three phases of an ASTRA-sim row.
struct AstraSimPhase
{
    uint64_t cycles;
    std::string collective;
    uint64_t bytes;
};

/// Reads the phase whose three fields start at \p first; its collective must be an allowed one.
AstraSimPhase
ReadAstraSimPhase(const LineReader& reader,
                  const std::string& name,
                  const Fields& fields,
                  std::size_t first,
                  const Fields& allowed)
{
    const AstraSimPhase phase{ReadWhole(reader, name + " cycles", fields[first]),
                              fields[first + 1],
                              ReadWhole(reader, name + " bytes", fields[first + 2])};
    if (std::find(allowed.begin(), allowed.end(), phase.collective) == allowed.end())
    {
        reader.Refuse(name + " collective " + Show(phase.collective),
                      boost::join(allowed, " or ") + " (only data parallelism is simulated)");
    }
    return phase;
}

/// A row's ALLREDUCE must be over all workers: neither within groups nor left out.
void
CheckParallelism(const LineReader& reader, const std::string& keyword, bool allReduce)
{
    const Parallelism* parallelism = FindParallelism(keyword);
    if (!parallelism)
    {
        reader.Refuse("parallelism " + Show(keyword), "one of " + ListParallelisms(false));
    }
    if (allReduce && !parallelism->overAllWorkers)
    {
        reader.Refuse("a weight-gradient ALLREDUCE under " + keyword,
                      "it under one of " + ListParallelisms(true) +
                          " (only data parallelism over all workers is simulated)");
    }
}

ProfileLayer
ReadAstraSimRow(const LineReader& reader,
                const std::string& line,
                const std::string& fileParallelism,
                double secondsPerCycle)
{
    const Fields fields = SplitAtBlanks(line);
    const bool customized = fileParallelism == "HYBRID_CUSTOMIZED";
    const std::size_t expectedFields = customized ? 13 : 12;
    if (fields.size() != expectedFields)
    {
        reader.Refuse(std::to_string(fields.size()) + " fields",
                      std::to_string(expectedFields) + " in a row of " + fileParallelism);
    }
    const auto forward = ReadAstraSimPhase(reader, "forward", fields, 2, {"NONE"});
    const auto inputGradient = ReadAstraSimPhase(reader, "input-gradient", fields, 5, {"NONE"});
    const auto weightGradient =
        ReadAstraSimPhase(reader, "weight-gradient", fields, 8, {"ALLREDUCE", "NONE"});
    ReadWhole(reader, "update time", fields[11]);
    const bool allReduce = weightGradient.collective == "ALLREDUCE";
    CheckParallelism(reader, customized ? fields[12] : fileParallelism, allReduce);
    return {fields[0],
            forward.cycles * secondsPerCycle,
            (inputGradient.cycles + weightGradient.cycles) * secondsPerCycle,
            allReduce ? weightGradient.bytes : 0};
}

void
ReadAstraSim(LineReader& reader,
             const std::string& parallelism,
             double secondsPerCycle,
             TrainingProfile& profile)
{
    const auto countLine = reader.Next();
    if (!countLine)
    {
        reader.Refuse(END, "the number of layers");
    }
    const uint64_t count = ReadWhole(reader, "number of layers", *countLine, 1);
    const std::string promised =
        std::to_string(count) + " as line " + std::to_string(reader.GetLine()) + " says";
    while (const auto line = reader.Next())
    {
        if (profile.layers.size() == count)
        {
            reader.Refuse("layer " + std::to_string(count + 1), promised);
        }
        AddLayer(reader, profile, ReadAstraSimRow(reader, *line, parallelism, secondsPerCycle));
    }
    if (profile.layers.size() != count)
    {
        reader.Refuse(std::string(END) + " after " + std::to_string(profile.layers.size()) +
                          " layers",
                      promised);
    }
}

void
CheckGradientBytes(const LineReader& reader, const TrainingProfile& profile)
{
    uint64_t total = 0;
    for (const auto& layer : profile.layers)
    {
        total = std::min(total + layer.gradientBytes, MAX_WHOLE + 1);
    }
    if (total == 0 || total > MAX_WHOLE)
    {
        reader.Refuse(total == 0 ? "0 gradient bytes in all" : "more gradient bytes in all",
                      "4 to " + std::to_string(MAX_WHOLE));
    }
}

template <typename T>
T
SumOverLayers(const TrainingProfile& profile, T ProfileLayer::*figure)
{
    return std::accumulate(
        profile.layers.begin(),
        profile.layers.end(),
        T{0},
        [figure](T sum, const ProfileLayer& layer) { return sum + layer.*figure; });
}

} // namespace

uint64_t
TrainingProfile::GetGradientBytes() const
{
    return SumOverLayers(*this, &ProfileLayer::gradientBytes);
}

double
TrainingProfile::GetForwardSeconds() const
{
    return SumOverLayers(*this, &ProfileLayer::forwardSeconds);
}

double
TrainingProfile::GetBackwardSeconds() const
{
    return SumOverLayers(*this, &ProfileLayer::backwardSeconds);
}

ProfileError::ProfileError(const std::string& fileName,
                           std::size_t line,
                           const std::string& got,
                           const std::string& expected)
    : std::runtime_error(fileName + ":" + std::to_string(line) + ": got " + got + ", expected " +
                         expected)
{
}

TrainingProfile
ReadTrainingProfile(std::istream& in, const std::string& fileName, double secondsPerCycle)
{
    assert(secondsPerCycle > 0);
    LineReader reader(in, fileName);
    TrainingProfile profile{std::filesystem::path(fileName).stem().string(), {}};
    const std::string firstLine = reader.Next().value_or("");
    const std::string keyword = SplitAtBlanks(firstLine).front();
    if (SplitAtCommas(firstLine) == SplitAtCommas(CSV_HEADER))
    {
        ReadCsv(reader, profile);
    }
    else if (FindParallelism(keyword))
    {
        ReadAstraSim(reader, keyword, secondsPerCycle, profile);
    }
    else
    {
        reader.Refuse(firstLine.empty() ? END : Show(firstLine),
                      std::string("the line ") + CSV_HEADER + " or an ASTRA-sim 1.0 parallelism (" +
                          ListParallelisms(false) + ")");
    }
    CheckGradientBytes(reader, profile);
    return profile;
}

} // namespace gradnet

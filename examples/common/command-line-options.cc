// SPDX-License-Identifier: GPL-2.0-only

#include "command-line-options.h"

#include "ns3/command-line.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

namespace
{

const std::vector<std::string> BUILT_IN = {"help",
                                           "version",
                                           "PrintHelp",
                                           "PrintVersion",
                                           "PrintGlobals",
                                           "PrintGroups",
                                           "PrintGroup",
                                           "PrintTypeIds",
                                           "PrintAttributes"};

/// A number in front of a unit.
struct Quantity
{
    double number;
    std::string unit;
};

std::optional<Quantity>
ParseQuantity(const std::string& text)
{
    Quantity quantity{};
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, quantity.number);
    if (result.ec != std::errc() || !std::isfinite(quantity.number) || quantity.number < 0)
    {
        return std::nullopt;
    }
    quantity.unit = std::string(result.ptr, end);
    return quantity;
}

[[noreturn]] void
ThrowValue(const std::string& name, const std::string& text, const std::string& expected)
{
    throw UsageError("--" + name + ": got \"" + text + "\", expected " + expected);
}

std::string
Describe(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

/// Converts a quantity with the factors of known units.
double
Convert(const std::string& name,
        const std::string& text,
        const std::map<std::string, double>& units,
        const std::string& expected)
{
    const auto quantity = ParseQuantity(text);
    const auto unit = quantity ? units.find(quantity->unit) : units.end();
    if (unit == units.end())
    {
        ThrowValue(name, text, expected);
    }
    return quantity->number * unit->second;
}

} // namespace

CommandLineOptions::CommandLineOptions(std::string usage, std::vector<Option> options)
    : m_usage(std::move(usage)),
      m_options(std::move(options))
{
    for (const Option& option : m_options)
    {
        m_values[option.name] = option.defaultValue;
    }
}

const Option*
CommandLineOptions::Find(const std::string& name) const
{
    const auto found = std::find_if(m_options.begin(), m_options.end(), [&](const Option& option) {
        return option.name == name && !option.isFixed;
    });
    return found == m_options.end() ? nullptr : &*found;
}

void
CommandLineOptions::Parse(int argc, char* argv[])
{
    std::vector<std::string> own{argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        if (argument.rfind("--", 0) != 0)
        {
            throw UsageError("got \"" + argument +
                             "\", expected an option, --name=value; --help lists them");
        }
        const size_t equals = argument.find('=');
        const std::string name = argument.substr(2, equals - 2);
        if (name.rfind("ns3::", 0) == 0)
        {
            if (equals == std::string::npos)
            {
                throw UsageError("--" + name + ": expected --" + name + "=value");
            }
            m_attributes.emplace_back(name, argument.substr(equals + 1));
            continue;
        }
        const Option* option = Find(name);
        if (!option && std::find(BUILT_IN.begin(), BUILT_IN.end(), name) == BUILT_IN.end())
        {
            std::vector<std::string> known;
            for (const Option& each : m_options)
            {
                if (!each.isFixed)
                {
                    known.push_back("--" + each.name);
                }
            }
            ThrowUnknown("unknown option", "--" + name, known);
        }
        if (option && option->isFlag != (equals == std::string::npos))
        {
            throw UsageError(option->isFlag ? "--" + name + ": takes no value"
                                            : "--" + name + ": expected --" + name + "=value");
        }
        // CommandLine takes no empty value.
        if (option && !option->isFlag && equals + 1 == argument.size())
        {
            if (!option->defaultValue.empty())
            {
                ThrowValue(name, "", "a value, such as " + option->defaultValue);
            }
            continue;
        }
        own.push_back(argument);
    }
    ns3::CommandLine command(argv[0]);
    command.Usage(m_usage);
    std::map<std::string, bool> flags;
    for (const Option& option : m_options)
    {
        if (option.isFlag)
        {
            command.AddValue(option.name, option.help, flags[option.name]);
        }
        else if (!option.isFixed)
        {
            command.AddValue(option.name, option.help, m_values[option.name]);
        }
    }
    command.Parse(own);
    for (const auto& [name, isGiven] : flags)
    {
        m_values[name] = isGiven ? "yes" : "";
    }
}

void
CommandLineOptions::Set(const std::string& name, const std::string& value)
{
    m_values.at(name) = value;
}

const std::vector<std::pair<std::string, std::string>>&
CommandLineOptions::GetAttributes() const
{
    return m_attributes;
}

bool
CommandLineOptions::GetFlag(const std::string& name) const
{
    return !GetText(name).empty();
}

const std::string&
CommandLineOptions::GetText(const std::string& name) const
{
    return m_values.at(name);
}

std::vector<std::string>
CommandLineOptions::GetList(const std::string& name) const
{
    std::vector<std::string> words;
    const std::string& text = GetText(name);
    if (!text.empty())
    {
        boost::split(words, text, boost::is_any_of(","));
    }
    return words;
}

uint64_t
CommandLineOptions::GetCount(const std::string& name, uint64_t least, uint64_t most) const
{
    const std::string& text = GetText(name);
    uint64_t count = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, count);
    if (result.ec != std::errc() || result.ptr != end || count < least || count > most)
    {
        ThrowValue(name,
                   text,
                   "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return count;
}

double
CommandLineOptions::GetNumber(const std::string& name,
                              double least,
                              double most,
                              bool isAbove) const
{
    const std::string& text = GetText(name);
    const auto quantity = ParseQuantity(text);
    if (!quantity || !quantity->unit.empty() || quantity->number < least ||
        quantity->number > most || (isAbove && quantity->number == least))
    {
        ThrowValue(name,
                   text,
                   "a number " + std::string(isAbove ? "above " : "from ") + Describe(least) +
                       (isAbove ? ", at most " : " to ") + Describe(most));
    }
    return quantity->number;
}

ns3::DataRate
CommandLineOptions::GetRate(const std::string& name, bool mayBeZero) const
{
    static const std::map<std::string, double> units = {{"bps", 1},
                                                        {"kbps", 1e3},
                                                        {"Mbps", 1e6},
                                                        {"Gbps", 1e9},
                                                        {"Tbps", 1e12}};
    const std::string expected = "a rate in bps, kbps, Mbps, Gbps or Tbps, " +
                                 std::string(mayBeZero ? "or 0bps" : "at least 1Mbps") +
                                 ", at most 100Tbps";
    const double rate = Convert(name, GetText(name), units, expected);
    if ((rate < 1e6 && !(mayBeZero && rate == 0)) || rate > 1e14)
    {
        ThrowValue(name, GetText(name), expected);
    }
    return ns3::DataRate(static_cast<uint64_t>(std::llround(rate)));
}

ns3::Time
CommandLineOptions::GetTime(const std::string& name, bool mayBeZero) const
{
    static const std::map<std::string, double> units = {{"ns", 1e-9},
                                                        {"us", 1e-6},
                                                        {"ms", 1e-3},
                                                        {"s", 1}};
    const std::string expected =
        "a time in ns, us, ms or s, " + std::string(mayBeZero ? "0s" : "1ns") + " to 3600s";
    const double seconds = Convert(name, GetText(name), units, expected);
    if ((seconds < 1e-9 && !(mayBeZero && seconds == 0)) || seconds > 3600)
    {
        ThrowValue(name, GetText(name), expected);
    }
    return ns3::NanoSeconds(std::llround(seconds * 1e9));
}

uint64_t
CommandLineOptions::GetBytes(const std::string& name) const
{
    static const std::map<std::string, double> units =
        {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1024 * 1024}};
    const std::string expected = "a size in B, kB, MB, GB, KiB or MiB, 4B to 1000GB";
    const double bytes = Convert(name, GetText(name), units, expected);
    if (bytes < 4 || bytes > 1e12)
    {
        ThrowValue(name, GetText(name), expected);
    }
    return std::llround(bytes);
}

ns3::QueueSize
CommandLineOptions::GetQueueSize(const std::string& name) const
{
    static const std::map<std::string, double> units =
        {{"p", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"KiB", 1024}, {"MiB", 1024 * 1024}};
    const std::string expected =
        "whole packets (100p) or a size in B, kB, MB, KiB or MiB, above 0, at most 2^31";
    const double size = Convert(name, GetText(name), units, expected);
    if (size < 1 || size > std::numeric_limits<int32_t>::max() || size != std::floor(size))
    {
        ThrowValue(name, GetText(name), expected);
    }
    const auto unit =
        GetText(name).back() == 'p' ? ns3::QueueSizeUnit::PACKETS : ns3::QueueSizeUnit::BYTES;
    return ns3::QueueSize(unit, std::llround(size));
}

std::map<uint32_t, double>
CommandLineOptions::GetByIndex(const std::string& name,
                               const std::string& prefix,
                               double least,
                               double most) const
{
    std::map<uint32_t, double> values;
    for (const std::string& word : GetList(name))
    {
        const size_t colon = word.find(':');
        uint32_t index = 0;
        const char* first = word.data() + prefix.size();
        const bool isNamed = word.rfind(prefix, 0) == 0 && colon != std::string::npos;
        const auto result = isNamed ? std::from_chars(first, word.data() + colon, index)
                                    : std::from_chars_result{first, std::errc::invalid_argument};
        const auto value = isNamed ? ParseQuantity(word.substr(colon + 1)) : std::nullopt;
        if (result.ec != std::errc() || result.ptr != word.data() + colon || !value ||
            !value->unit.empty() || value->number < least || value->number > most)
        {
            ThrowValue(name,
                       word,
                       prefix + "N:value, such as " + prefix + "3:" + Describe(most / 2) +
                           ", with a value from " + Describe(least) + " to " + Describe(most));
        }
        values[index] = value->number;
    }
    return values;
}

void
CommandLineOptions::ThrowUnknown(const std::string& what,
                                 const std::string& word,
                                 const std::vector<std::string>& known)
{
    throw UsageError(what + ": got \"" + word + "\", known: " + boost::join(known, " "));
}

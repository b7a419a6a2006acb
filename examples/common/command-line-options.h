// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COMMAND_LINE_OPTIONS_H
#define GRADNET_COMMAND_LINE_OPTIONS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What a user got wrong, in one line.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// An option of a program.
struct Option
{
    std::string name;         ///< without the dashes
    std::string defaultValue; ///< as a user would write it
    std::string help;         ///< one line, with values or unit
    bool isFlag{false};       ///< true: takes no value
    bool isFixed{false};      ///< true: a program sets it, not the user
};

/**
 * The options of a command line, taken by ns-3's CommandLine as strings and converted strictly:
 * CommandLine itself reads "-1" as 4294967295 and "4x" as 4, and answers an unknown option with
 * its whole help.
 */
class CommandLineOptions
{
  public:
    /**
     * \param usage what the program does, for --help
     * \param options every option
     */
    CommandLineOptions(std::string usage, std::vector<Option> options);

    /**
     * Reads the command line. Prints the help and exits with status 0 when asked to.
     *
     * \throws UsageError for an unknown option, a value that is missing, or an argument that is
     *         no option
     */
    void Parse(int argc, char* argv[]);

    /**
     * Sets an option as a user would.
     *
     * \param name the option
     * \param value its value
     */
    void Set(const std::string& name, const std::string& value);

    /// \return settings of ns-3's attributes, --ns3::Class::Attribute=value, in order
    const std::vector<std::pair<std::string, std::string>>& GetAttributes() const;

    /// \return whether a flag was given
    bool GetFlag(const std::string& name) const;
    /// \return the value as it was written
    const std::string& GetText(const std::string& name) const;
    /// \return the words of a comma-separated value; none if it is empty
    std::vector<std::string> GetList(const std::string& name) const;
    /// \return a whole number from least to most
    uint64_t GetCount(const std::string& name, uint64_t least, uint64_t most) const;
    /// \return a finite number from least to most; with isAbove, above least
    double GetNumber(const std::string& name, double least, double most, bool isAbove) const;
    /// \return a rate, above 0 unless mayBeZero
    ns3::DataRate GetRate(const std::string& name, bool mayBeZero = false) const;
    /// \return a time, above 0 unless mayBeZero
    ns3::Time GetTime(const std::string& name, bool mayBeZero = false) const;
    /// \return a size in bytes, above 0
    uint64_t GetBytes(const std::string& name) const;
    /// \return the size of a queue, above 0
    ns3::QueueSize GetQueueSize(const std::string& name) const;
    /// \return pairs of a number and a value from least to most, from "host3:0.01,host5:0.1" for
    /// the prefix "host"
    std::map<uint32_t, double> GetByIndex(const std::string& name,
                                          const std::string& prefix,
                                          double least,
                                          double most) const;

    /**
     * \param name the option
     * \param values what each known word stands for
     * \return the value
     * \throws UsageError listing the known words
     */
    template <typename Value>
    Value GetChoice(const std::string& name, const std::map<std::string, Value>& values) const
    {
        const auto found = values.find(GetText(name));
        if (found != values.end())
        {
            return found->second;
        }
        std::vector<std::string> known;
        for (const auto& [word, value] : values)
        {
            known.push_back(word);
        }
        ThrowUnknown("--" + name, GetText(name), known);
    }

    /// \throws UsageError "what: got word, known: ..."
    [[noreturn]] static void ThrowUnknown(const std::string& what,
                                          const std::string& word,
                                          const std::vector<std::string>& known);

  private:
    const Option* Find(const std::string& name) const;

    std::string m_usage;
    std::vector<Option> m_options;
    std::map<std::string, std::string> m_values;
    std::vector<std::pair<std::string, std::string>> m_attributes;
};

#endif // GRADNET_COMMAND_LINE_OPTIONS_H

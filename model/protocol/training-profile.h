// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TRAINING_PROFILE_H
#define GRADNET_TRAINING_PROFILE_H

#include <cstddef>
#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradnet
{

/// What one worker does for one tensor of the model in one iteration.
struct ProfileLayer
{
    std::string name;          ///< as the file has it; need not be unique
    double forwardSeconds{0};  ///< forward computation, in seconds
    double backwardSeconds{0}; ///< backward computation, in seconds
    uint64_t gradientBytes{0}; ///< gradients, in bytes; whole fp32 values, 0 if none are sent
};

/// A model as the network sees it: its layers in forward order.
struct TrainingProfile
{
    std::string name;                 ///< base name of the file, without its extension
    std::vector<ProfileLayer> layers; ///< front (next to the input) to back

    /// \return gradient bytes of all layers
    uint64_t GetGradientBytes() const;

    /// \return seconds of a forward pass
    double GetForwardSeconds() const;

    /// \return seconds of a backward pass
    double GetBackwardSeconds() const;
};

/// A profile that cannot be used; what() is one line, "file:line: got ..., expected ...".
class ProfileError : public std::runtime_error
{
  public:
    /**
     * \param fileName the file, as the user named it
     * \param line the line at fault, from 1
     * \param got what was read
     * \param expected what would have been accepted
     */
    ProfileError(const std::string& fileName,
                 std::size_t line,
                 const std::string& got,
                 const std::string& expected);
};

/**
 * Reads a training profile, a text file in one of two formats; the first line that is neither blank
 * nor a '#' comment tells which. Such lines, blanks around a line, CRLF and a missing last newline
 * are accepted anywhere.
 *
 * - **CSV**: the line `layer,forward_us,backward_us,gradient_bytes`, then one tensor a line in
 *   forward order. Times are decimal microseconds.
 * - **ASTRA-sim 1.0**: a parallelism keyword (the rest of its line is not read), the number of
 *   layers, then 12 fields a layer: name, reserved, and for each of forward, input gradient and
 *   weight gradient the compute cycles, the collective and its bytes; last the update time. Rows of
 *   a HYBRID_CUSTOMIZED file end in a 13th, the row's own parallelism. Only synchronous data
 *   parallelism is simulated, so a row's collectives must be NONE, NONE, and NONE or an ALLREDUCE
 *   over all workers (a row of DATA, MICRO or HYBRID_DLRM). Backward is input gradient plus weight
 *   gradient; the bytes of a NONE, the reserved field and the update time are not simulated.
 *
 * Limits: every figure is read whole; counts, bytes and cycles are whole numbers up to 2^53;
 * gradient bytes are a multiple of 4, above 0 and at most 2^53 for the model; a layer computes for
 * at most a day each way; 1 to 65535 layers; lines of at most 65536 bytes without control
 * characters. A model without compute is accepted.
 *
 * \param in the text, read to its end
 * \param fileName the file's name: names the profile and stands in errors
 * \param secondsPerCycle seconds of an ASTRA-sim cycle, above 0; a CSV does not use it
 * \return the profile
 * \throws ProfileError at the first line that breaks one of these rules
 */
TrainingProfile ReadTrainingProfile(std::istream& in,
                                    const std::string& fileName,
                                    double secondsPerCycle = 1e-9);

} // namespace gradnet

#endif // GRADNET_TRAINING_PROFILE_H

// SPDX-License-Identifier: GPL-2.0-only

#include "../../model/protocol/training-profile.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace
{

using namespace gradnet;

const std::string HEADER = "layer,forward_us,backward_us,gradient_bytes\n";

TrainingProfile
Read(const std::string& text, double secondsPerCycle = 1e-9)
{
    std::istringstream in(text);
    return ReadTrainingProfile(in, "models/net.txt", secondsPerCycle);
}

/// What the reader says against a text, without the file's name; "" if it accepts it.
std::string
Refusal(const std::string& text)
{
    try
    {
        Read(text);
    }
    catch (const ProfileError& error)
    {
        return std::string(error.what()).substr(std::string("models/net.txt:").size());
    }
    return "";
}

/// Reads a file of the repository.
TrainingProfile
ReadShipped(const std::string& path)
{
    const std::string fileName = std::string(GRADNET_SOURCE_DIR) + "/examples/" + path;
    std::ifstream in(fileName);
    return ReadTrainingProfile(in, fileName);
}

/// An ASTRA-sim file of one row.
std::string
AstraSim(const std::string& parallelism, const std::string& row)
{
    return parallelism + "\n1\n" + row + "\n";
}

TEST(TrainingProfileTest, ReadsACsvTableInForwardOrder)
{
    // 1500 us = 1.5 ms and 2.5 us forward make 1.5025 ms; 3000 + 4 us backward make 3.004 ms;
    // 400 + 0 bytes make 400.
    const auto profile = Read(HEADER + "conv1,1500,3e3,400\nrelu,2.5,4,0\n");
    ASSERT_EQ(profile.layers.size(), 2U);
    EXPECT_EQ(profile.layers[0].name, "conv1");
    EXPECT_DOUBLE_EQ(profile.layers[0].forwardSeconds, 1.5e-3);
    EXPECT_DOUBLE_EQ(profile.layers[0].backwardSeconds, 3e-3);
    EXPECT_EQ(profile.layers[0].gradientBytes, 400U);
    EXPECT_EQ(profile.layers[1].name, "relu");
    EXPECT_DOUBLE_EQ(profile.GetForwardSeconds(), 1.5025e-3);
    EXPECT_DOUBLE_EQ(profile.GetBackwardSeconds(), 3.004e-3);
    EXPECT_EQ(profile.GetGradientBytes(), 400U);
}

TEST(TrainingProfileTest, NamesTheProfileByTheFilesBaseName)
{
    for (const char* fileName : {"net.v2.csv", "/data/net.v2.csv", "data/net.v2.txt"})
    {
        std::istringstream in(HEADER + "a,1,1,4\n");
        EXPECT_EQ(ReadTrainingProfile(in, fileName).name, "net.v2");
    }
}

TEST(TrainingProfileTest, SkipsCommentsAndBlankLinesAndTakesCrlfAndAMissingLastNewline)
{
    const auto profile = Read("# source\r\n\r\nlayer,forward_us,backward_us,gradient_bytes \t\r\n"
                              " # a comment\r\n  a , 1 ,2, 4 \t\r\n\t\r\nb,1,2,8");
    ASSERT_EQ(profile.layers.size(), 2U);
    EXPECT_EQ(profile.layers[0].name, "a");
    EXPECT_EQ(profile.layers[1].gradientBytes, 8U);
}

TEST(TrainingProfileTest, CountsCommentsAndBlankLinesInTheLineOfAnError)
{
    // Comment, blank, header, row: the faulty row is line 5.
    EXPECT_EQ(Refusal("#\n\n" + HEADER + "a,1,1,4\nb,1,1,x\n"),
              "5: got gradient_bytes x, expected a whole number from 0 to 9007199254740992");
}

TEST(TrainingProfileTest, RefusesTimesThatAreNotWholePlainFigures)
{
    for (const std::string time :
         {"12x", "", "-3", "+3", "nan", "inf", "1e400", "0x10", "1 2", "1.2.3", "1e", "."})
    {
        const std::string shown = time.empty() ? "\"\"" : time;
        const std::string expected = ", expected a number of microseconds from 0";
        EXPECT_EQ(Refusal(HEADER + "a," + time + ",1,4\n"),
                  "2: got forward_us " + shown + expected);
        EXPECT_EQ(Refusal(HEADER + "a,1," + time + ",4\n"),
                  "2: got backward_us " + shown + expected);
    }
}

TEST(TrainingProfileTest, RefusesBytesThatAreNotWholeNumbersUpTo2To53)
{
    // 9007199254740996 is 2^53 + 4; 18446744073709551620 is 2^64 + 4, which would wrap to 4.
    for (const std::string bytes : {"12x",
                                    "",
                                    "-4",
                                    "+4",
                                    "nan",
                                    "4.0",
                                    "1e3",
                                    "4 4",
                                    "9007199254740996",
                                    "18446744073709551620"})
    {
        EXPECT_EQ(Refusal(HEADER + "a,1,1," + bytes + "\n"),
                  "2: got gradient_bytes " + (bytes.empty() ? "\"\"" : bytes) +
                      ", expected a whole number from 0 to 9007199254740992");
    }
    EXPECT_EQ(Read(HEADER + "a,1,1,9007199254740992\n").GetGradientBytes(), uint64_t{1} << 53);
}

TEST(TrainingProfileTest, RefusesBytesThatAreNoMultipleOf4InBothFormats)
{
    const std::string expected = "3: got 6 gradient bytes, expected a multiple of 4 (whole fp32 "
                                 "values)";
    EXPECT_EQ(Refusal(HEADER + "a,1,1,4\nb,1,1,6\n"), expected);
    EXPECT_EQ(Refusal(AstraSim("DATA", "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 6 1")), expected);
}

TEST(TrainingProfileTest, RefusesALayerThatComputesForMoreThanADay)
{
    // A day is 86 400 s = 8.64e10 us.
    EXPECT_EQ(Refusal(HEADER + "a,8.64e10,8.64e10,4\n"), "");
    EXPECT_EQ(Refusal(HEADER + "a,1e12,1,4\n"),
              "2: got 1e+06 s of forward compute, expected at most 86400 s");
    EXPECT_EQ(Refusal(HEADER + "a,1,1e12,4\n"),
              "2: got 1e+06 s of backward compute, expected at most 86400 s");
}

TEST(TrainingProfileTest, RefusesMissingAndExtraFields)
{
    const std::string expected =
        " fields, expected 4 (layer,forward_us,backward_us,gradient_bytes)";
    EXPECT_EQ(Refusal(HEADER + "a,1,1\n"), "2: got 3" + expected);
    EXPECT_EQ(Refusal(HEADER + "a,1,1,4,\n"), "2: got 5" + expected);
    EXPECT_EQ(Refusal(HEADER + ",1,1,4\n"), "2: got layer \"\", expected a name");
}

TEST(TrainingProfileTest, RefusesAnEmptyModel)
{
    // The comment is the last line read, 2; the count of layers is on line 2 as well.
    EXPECT_EQ(Refusal(HEADER + "# nothing\n"),
              "2: got the end of the file, expected a row of "
              "layer,forward_us,backward_us,gradient_bytes");
    EXPECT_EQ(Refusal("DATA\n0\n"),
              "2: got number of layers 0, expected a whole number from 1 to 9007199254740992");
    EXPECT_EQ(Refusal("DATA\n"), "1: got the end of the file, expected the number of layers");
}

TEST(TrainingProfileTest, RefusesAModelThatSendsNothingOrMoreThan2To53Bytes)
{
    EXPECT_EQ(Refusal(HEADER + "a,1,1,0\nb,1,1,0\n"),
              "3: got 0 gradient bytes in all, expected 4 to 9007199254740992");
    EXPECT_EQ(Refusal(HEADER + "a,1,1,9007199254740992\nb,1,1,4\n"),
              "3: got more gradient bytes in all, expected 4 to 9007199254740992");
}

TEST(TrainingProfileTest, AcceptsAModelWithoutCompute)
{
    const auto profile = Read(HEADER + "a,0,0,4\n");
    EXPECT_EQ(profile.GetForwardSeconds() + profile.GetBackwardSeconds(), 0);
}

TEST(TrainingProfileTest, AcceptsAtMost65535Layers)
{
    std::string text = HEADER;
    for (int layer = 0; layer < 65535; ++layer)
    {
        text += "a,1,1,4\n";
    }
    EXPECT_EQ(Read(text).layers.size(), 65535U);
    // The header and 65535 rows come before: line 65537.
    EXPECT_EQ(Refusal(text + "a,1,1,4\n"),
              "65537: got one more layer, expected at most 65535 layers");
}

TEST(TrainingProfileTest, RefusesAFirstLineOfNeitherFormatAndNamesBoth)
{
    const std::string expected =
        ", expected the line layer,forward_us,backward_us,gradient_bytes or an ASTRA-sim 1.0 "
        "parallelism (DATA, MICRO, HYBRID_DLRM, HYBRID_DLRM_ENHANCED, HYBRID_TRANSFORMER, "
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, "
        "HYBRID_CUSTOMIZED, MODEL, DISTRIBUTED_INFERENCE)";
    EXPECT_EQ(Refusal("DATUM\n1\n"), "1: got DATUM" + expected);
    EXPECT_EQ(Refusal("layer,backward_us\n"), "1: got layer,backward_us" + expected);
    EXPECT_EQ(Refusal(""), "1: got the end of the file" + expected);
    EXPECT_EQ(Refusal("#\n\n"), "2: got the end of the file" + expected);
}

TEST(TrainingProfileTest, RefusesBytesThatAreNoText)
{
    EXPECT_EQ(Refusal(std::string("\x7f"
                                  "ELF\x02\0",
                                  6)),
              "1: got \\x7FELF\\x02\\x00, expected text without control characters");
    EXPECT_EQ(Refusal(HEADER + std::string("a\0,1,1,4\n", 9)),
              "2: got a\\x00,1,1,4, expected text without control characters");
}

TEST(TrainingProfileTest, RefusesALineOfMoreThan65536Bytes)
{
    // The name takes what the other fields leave of the 65536 bytes.
    const std::string row = ",1,1,4";
    const std::string name(65536 - row.size(), 'a');
    EXPECT_EQ(Refusal(HEADER + name + row + "\n"), "");
    EXPECT_EQ(Refusal(HEADER + name + "a" + row + "\n"),
              "2: got a longer line, expected one of at most 65536 bytes");
}

TEST(TrainingProfileTest, ShowsTheFirst80BytesOfALongFigure)
{
    EXPECT_EQ(Refusal(HEADER + "a,1,1," + std::string(81, '9')),
              "2: got gradient_bytes " + std::string(80, '9') +
                  "..., expected a whole number from 0 to 9007199254740992");
}

TEST(TrainingProfileTest, RefusesAStreamThatCannotBeRead)
{
    std::ifstream in("/nowhere/net.csv");
    EXPECT_THROW(ReadTrainingProfile(in, "net.csv"), ProfileError);
}

TEST(TrainingProfileTest, ReadsAstraSimCyclesAsForwardAndBothGradientsAsBackward)
{
    // At 2 ns a cycle: forward 10 x 2 = 20 ns; backward (20 + 30) x 2 = 100 ns. The update time of
    // 7 cycles and the bytes of a NONE do not count; 2^33 bytes do not fit in 32 bits.
    const auto profile = Read("DATA\t\t\r\n2\t\t\r\n"
                              "a\t-1\t10\t\tNONE\t5\t20 NONE\t0\t30\tALLREDUCE\t8589934592\t7\t\r\n"
                              "a -1 0 NONE 0 0 NONE 0 0 NONE 64 0",
                              2e-9);
    ASSERT_EQ(profile.layers.size(), 2U);
    EXPECT_DOUBLE_EQ(profile.layers[0].forwardSeconds, 20e-9);
    EXPECT_DOUBLE_EQ(profile.layers[0].backwardSeconds, 100e-9);
    EXPECT_EQ(profile.layers[0].gradientBytes, uint64_t{1} << 33);
    EXPECT_EQ(profile.layers[1].name, "a");
    EXPECT_EQ(profile.layers[1].gradientBytes, 0U);
}

TEST(TrainingProfileTest, RefusesFewerLayersThanPromisedAtTheEndAndMoreAtTheFirstTooMany)
{
    const std::string row = "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\n";
    EXPECT_EQ(Refusal("DATA\n2\n" + row),
              "3: got the end of the file after 1 layers, expected 2 as line 2 says");
    EXPECT_EQ(Refusal("DATA\n2\n" + row + row + row + row),
              "5: got layer 3, expected 2 as line 2 says");
    EXPECT_EQ(Refusal("DATA\n2 3\n" + row),
              "2: got number of layers 2 3, expected a whole number from 1 to 9007199254740992");
}

TEST(TrainingProfileTest, RefusesCollectivesThatDataParallelismDoesNotHave)
{
    const std::string reason = " (only data parallelism is simulated)";
    EXPECT_EQ(Refusal(AstraSim("MODEL", "a -1 1 ALLGATHER 4 1 NONE 0 1 NONE 0 1")),
              "3: got forward collective ALLGATHER, expected NONE" + reason);
    EXPECT_EQ(Refusal(AstraSim("MODEL", "a -1 1 NONE 0 1 ALLREDUCE 4 1 NONE 0 1")),
              "3: got input-gradient collective ALLREDUCE, expected NONE" + reason);
    EXPECT_EQ(Refusal(AstraSim("MICRO", "a -1 1 NONE 0 1 NONE 0 1 ALLTOALL 4 1")),
              "3: got weight-gradient collective ALLTOALL, expected ALLREDUCE or NONE" + reason);
}

TEST(TrainingProfileTest, RefusesAnAllReduceThatIsNotOverAllWorkers)
{
    const std::string row = "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1";
    for (const char* parallelism : {"DATA", "MICRO", "HYBRID_DLRM 4", "HYBRID_DLRM_ENHANCED 4"})
    {
        EXPECT_EQ(Refusal(AstraSim(parallelism, row)), "");
    }
    for (const std::string parallelism : {"HYBRID_TRANSFORMER",
                                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                          "HYBRID_DATA_MODEL",
                                          "HYBRID_MODEL_DATA",
                                          "MODEL",
                                          "DISTRIBUTED_INFERENCE"})
    {
        EXPECT_EQ(Refusal(AstraSim(parallelism + " model_parallel_NPU_group: 4", row)),
                  "3: got a weight-gradient ALLREDUCE under " + parallelism +
                      ", expected it under one of DATA, MICRO, HYBRID_DLRM, HYBRID_DLRM_ENHANCED "
                      "(only data parallelism over all workers is simulated)");
    }
}

TEST(TrainingProfileTest, ReadsTheParallelismOfEachRowOfACustomizedFile)
{
    const std::string row = "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1";
    EXPECT_EQ(Refusal(AstraSim("HYBRID_CUSTOMIZED", row + "\t DATA ")), "");
    EXPECT_EQ(Refusal(AstraSim("HYBRID_CUSTOMIZED", row)),
              "3: got 12 fields, expected 13 in a row of HYBRID_CUSTOMIZED");
    EXPECT_EQ(Refusal(AstraSim("HYBRID_CUSTOMIZED", row + " MODEL")).substr(0, 46),
              "3: got a weight-gradient ALLREDUCE under MODEL");
    EXPECT_EQ(Refusal(AstraSim("HYBRID_CUSTOMIZED", row + " DATUM")).substr(0, 58),
              "3: got parallelism DATUM, expected one of DATA, MICRO, HYB");
}

TEST(TrainingProfileTest, ChecksEveryFigureOfAnAstraSimRowAndTheNumberOfFields)
{
    const auto expectRefused = [](const std::string& row, const std::string& what) {
        EXPECT_EQ(Refusal(AstraSim("DATA", row)),
                  "3: got " + what + ", expected a whole number from 0 to 9007199254740992");
    };
    expectRefused("a -1 1.5 NONE 0 1 NONE 0 1 ALLREDUCE 4 1", "forward cycles 1.5");
    expectRefused("a -1 1 NONE x 1 NONE 0 1 ALLREDUCE 4 1", "forward bytes x");
    expectRefused("a -1 1 NONE 0 -1 NONE 0 1 ALLREDUCE 4 1", "input-gradient cycles -1");
    expectRefused("a -1 1 NONE 0 1 NONE nan 1 ALLREDUCE 4 1", "input-gradient bytes nan");
    expectRefused("a -1 1 NONE 0 1 NONE 0 1e3 ALLREDUCE 4 1", "weight-gradient cycles 1e3");
    expectRefused("a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4B 1", "weight-gradient bytes 4B");
    expectRefused("a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1x", "update time 1x");
    EXPECT_EQ(Refusal(AstraSim("DATA", "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4")),
              "3: got 11 fields, expected 12 in a row of DATA");
    EXPECT_EQ(Refusal(AstraSim("DATA", "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1 DATA")),
              "3: got 13 fields, expected 12 in a row of DATA");
}

TEST(TrainingProfileTest, ReadsTheShippedImageModelsAtTheirParameterCount)
{
    // Parameters as torchvision counts them (Inception-v3 with its auxiliary classifier), 4 bytes
    // each: VGG-16 makes 553.4 MB, ResNet-18 46.8 MB.
    const std::vector<std::pair<std::string, uint64_t>> parameters{{"alexnet", 61100840},
                                                                   {"vgg16", 138357544},
                                                                   {"resnet18", 11689512},
                                                                   {"resnet50", 25557032},
                                                                   {"resnet101", 44549160},
                                                                   {"inception_v3", 27161264},
                                                                   {"densenet121", 7978856}};
    for (const auto& [name, count] : parameters)
    {
        const auto profile = ReadShipped("profiles/" + name + ".csv");
        EXPECT_EQ(profile.name, name);
        EXPECT_EQ(profile.GetGradientBytes(), 4 * count) << name;
    }
}

TEST(TrainingProfileTest, ReadsTheShippedTranslationModelsAtTheirParameterCount)
{
    // Width 1024, 32320 words. An LSTM layer has 4 x 1024 x (inputs + 1024) weights and
    // 8 x 1024 biases; the attention two 1024 x 1024 projections and a vector of 1024; the
    // classifier a bias a word. Encoder: a layer each way, one that reads both, then layers of
    // 1024. Decoder: the attention and its LSTM, then layers that read 2048 with the context.
    const uint64_t words = 32320;
    const uint64_t narrow = 4 * 1024 * 2048 + 8 * 1024;
    const uint64_t wide = 4 * 1024 * 3072 + 8 * 1024;
    const uint64_t attention = 2 * 1024 * 1024 + 1024;
    const uint64_t common =
        2 * words * 1024 + words * 1025 + 2 * narrow + wide + narrow + attention;
    EXPECT_EQ(ReadShipped("profiles/gnmt.csv").GetGradientBytes(),
              4 * (common + 2 * narrow + 3 * wide));
    EXPECT_EQ(ReadShipped("profiles/gnmt_large.csv").GetGradientBytes(),
              4 * (common + 6 * narrow + 7 * wide));
}

TEST(TrainingProfileTest, ReadsVgg16WithMostBytesInItsThreeLastTensors)
{
    // Linear layers with biases: 25088 to 4096 to 4096 to 1000 make
    // 102 764 544 + 16 781 312 + 4 097 000 parameters of 4 bytes: 494.6 MB.
    const auto layers = ReadShipped("profiles/vgg16.csv").layers;
    ASSERT_EQ(layers.size(), 16U);
    EXPECT_EQ(layers[13].gradientBytes + layers[14].gradientBytes + layers[15].gradientBytes,
              4U * (25089 * 4096 + 4097 * 4096 + 4097 * 1000));
}

TEST(TrainingProfileTest, ReadsAlexNetsTimes)
{
    // Forward 23885 + 4518 + 3687 + 4962 + 3730 + 2208 + 1358 + 453 = 44801 us;
    // backward 8286 + 6997 + 6879 + 7385 + 5979 + 3111 + 1409 + 474 = 40520 us.
    const auto profile = ReadShipped("profiles/alexnet.csv");
    EXPECT_NEAR(profile.GetForwardSeconds(), 44801e-6, 1e-12);
    EXPECT_NEAR(profile.GetBackwardSeconds(), 40520e-6, 1e-12);
}

TEST(TrainingProfileTest, ReadsTheAstraSimSampleOfASmallCnn)
{
    // Cycles are multiply-accumulates / 64. 3x3 convolutions: 32^2 x 27 x 32 / 64 = 13824, then
    // three times 16^2 x 288 x 64 / 64 = 73728; linear: 4096 x 512 / 64 = 32768,
    // 512 x 10 / 64 = 80. Forward 13824 + 3 x 73728 + 32768 + 80 = 267856; backward twice that
    // but for the first layer's input gradient: 535712 - 13824 = 521888.
    // Parameters: 28 x 32 + 289 x 64 + 577 x 128 + 1153 x 256 + 4097 x 512 + 513 x 10 = 2491210.
    const auto profile = ReadShipped("astra-sim/small-cnn.txt");
    EXPECT_EQ(profile.layers.size(), 6U);
    EXPECT_NEAR(profile.GetForwardSeconds(), 267856e-9, 1e-15);
    EXPECT_NEAR(profile.GetBackwardSeconds(), 521888e-9, 1e-15);
    EXPECT_EQ(profile.GetGradientBytes(), 4U * 2491210);
}

TEST(TrainingProfileTest, ReadsTheAstraSimMicroSample)
{
    // 4 MiB + 64 KiB = 4194304 + 65536.
    EXPECT_EQ(ReadShipped("astra-sim/micro-all-reduce.txt").GetGradientBytes(), 4259840U);
}

TEST(TrainingProfileTest, RefusesTheAstraSimSampleOfModelParallelism)
{
    try
    {
        ReadShipped("astra-sim/refused-model-parallel.txt");
        FAIL() << "accepted";
    }
    catch (const ProfileError& error)
    {
        EXPECT_EQ(std::string(error.what()),
                  std::string(GRADNET_SOURCE_DIR) +
                      "/examples/astra-sim/refused-model-parallel.txt:4: got forward collective "
                      "ALLGATHER, expected NONE (only data parallelism is simulated)");
    }
}

} // namespace

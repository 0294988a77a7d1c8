// Preset files: those that come with qkvet, and malformed ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <qkvet/candidate/locate.hpp>
#include <qkvet/candidate/presets.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

TEST(Presets, HaveReadableContractsAndASourceForEverySwitch) {
  const std::vector<std::string> names = preset_names(share_directory());
  EXPECT_EQ(names, (std::vector<std::string>{"jax", "onnx", "openvino", "ort_gqa", "ort_mha", "sdpa",
                                             "torch_mha"}));
  for (const std::string& name : names) {
    const Preset preset = read_preset(name, share_directory());
    EXPECT_EQ(preset.name, name);
    EXPECT_FALSE(preset.description.empty() || preset.signature.empty());
    EXPECT_FALSE(read_contracts(preset.contract, name).contracts.empty()) << name;
    EXPECT_GE(preset.switches.size(), 8u) << name;
    for (const PresetSwitch& s : preset.switches) {
      EXPECT_FALSE(s.name.empty() || s.value.empty() || s.source.empty()) << name << " " << s.name;
    }
  }
}

TEST(Presets, OnnxAndSdpaCountTheDiagonalFromTheTopLeftAndReturnNoLse) {
  for (const std::string name : {"onnx", "sdpa"}) {
    const ContractSet set = read_contracts(read_preset(name, share_directory()).contract, name);
    for (const Format format : {Format::binary32, Format::binary64}) {
      const Contract contract = set.at(format);
      EXPECT_FALSE(contract.assumed) << name;
      EXPECT_EQ(contract.limits.diagonals, std::vector{Diagonal::Kind::top_left}) << name;
      EXPECT_EQ(contract.limits.lse, Allow::never) << name;
    }
  }
}

TEST(Presets, OnnxDeclaresWhatItsTextSays) {
  const ContractSet set = read_contracts(read_preset("onnx", share_directory()).contract, "onnx");
  EXPECT_EQ(set.at(Format::binary32).semantics.empty_row, Semantics::EmptyRow::zero);
  EXPECT_EQ(set.at(Format::binary64).limits.softcap, Allow::never);
}

std::string message_for(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / "qkvet-test-preset.json";
  std::ofstream(file) << text;
  try {
    (void)read_preset(file.string(), {});
    return "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_data) << error.what();
    return error.what();
  }
}

TEST(Presets, RefuseMalformedFilesByNameAndField) {
  EXPECT_NE(message_for("{").find("qkvet-test-preset.json"), std::string::npos);
  EXPECT_NE(message_for("[1]").find("is no JSON object"), std::string::npos);
  EXPECT_NE(message_for("{}").find("field 'name' is missing"), std::string::npos);
  EXPECT_NE(message_for(R"({"name": 3})").find("field 'name'"), std::string::npos);
  EXPECT_NE(message_for(R"({"name": "a", "description": ["b", 1]})").find("a line that is no text"),
            std::string::npos);
}

TEST(Presets, SaysWhichFileIsMissing) {
  try {
    (void)read_preset("./nowhere.json", {});
    FAIL() << "read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing_input);
  }
}

}  // namespace
}  // namespace qkvet

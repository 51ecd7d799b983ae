#include "heed/model/safetensors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "support/damage.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::Field;
using ::testing::HasSubstr;

// A whole file from its header's text and as many bytes of data.
std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class SafetensorsTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "model.safetensors"; }
  SafetensorsFile open(const std::string& bytes) const {
    return SafetensorsFile(folder_.write("model.safetensors", bytes));
  }
  // The complaint about a file with this header and `data` zero bytes.
  std::string complaint(const std::string& header, size_t data = 0) const {
    return error_of([&] { open(file_of(header, std::string(data, '\0'))); });
  }
  void write_two(const std::filesystem::path& path) const {
    SafetensorsWriter writer(
        path,
        {{"matrix", DType::fp32, {2, 3}}, {"wide", DType::fp64, {2}}, {"none", DType::fp32, {0}}},
        {{"step", "17"}, {"format", "pt"}});
    const std::vector<float> matrix = {1, -2, 3.5, 0, 1e-40f, 6};
    const std::vector<double> wide = {0.1, -1e300};
    writer.write("matrix", tensor_of<float>({2, 3}, matrix));
    writer.write("wide", tensor_of<double>({2}, wide));
    writer.write("none", Tensor({0}));
    writer.commit();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(SafetensorsTest, ReadsWhatItWrote) {
  write_two(path());
  const SafetensorsFile file(path());
  EXPECT_THAT(file.tensors(),
              ElementsAre(Field(&StoredTensor::name, "matrix"), Field(&StoredTensor::name, "wide"),
                          Field(&StoredTensor::name, "none")));
  EXPECT_EQ(file.metadata(), (Metadata{{"step", "17"}, {"format", "pt"}}));
  EXPECT_EQ(file.find("matrix")->type, "F32");
  EXPECT_EQ(file.find("matrix")->shape, (Shape{2, 3}));
  EXPECT_EQ(file.find("absent"), nullptr);
  Tensor matrix({2, 3}), wide({2}, DType::fp64), rounded({2, 3}, DType::fp64);
  file.read("matrix", matrix);
  file.read("matrix", rounded);
  file.read("wide", wide);
  EXPECT_THAT(matrix.span<float>(), ElementsAre(1, -2, 3.5, 0, 1e-40f, 6));
  EXPECT_THAT(rounded.span<double>(), ElementsAre(1, -2, 3.5, 0, double(1e-40f), 6));
  EXPECT_THAT(wide.span<double>(), ElementsAre(0.1, -1e300));
}

TEST_F(SafetensorsTest, TheSameContentIsTheSameBytes) {
  write_two(path());
  write_two(folder_ / "again");
  const std::string bytes = read_file(path());
  EXPECT_EQ(bytes, read_file(folder_ / "again"));
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof(header));
  EXPECT_EQ(header % 8, 0u) << "values are aligned";
  EXPECT_EQ(bytes.substr(8, 45), R"({"__metadata__":{"format":"pt","step":"17"},")");
}

TEST_F(SafetensorsTest, NothingIsLeftOfAFileThatWasNotCommitted) {
  { SafetensorsWriter writer(path(), {{"x", DType::fp32, {1}}}); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  SafetensorsWriter writer(path(), {{"x", DType::fp32, {1}}});
  EXPECT_THROW(writer.write("y", Tensor({1})), Bug);
  EXPECT_THROW(writer.write("x", Tensor({2})), Bug);
  EXPECT_THROW(
      SafetensorsWriter(folder_ / "twice", {{"x", DType::fp32, {1}}, {"x", DType::fp32, {1}}}),
      Bug);
}

TEST_F(SafetensorsTest, HalfPrecisionBecomesSingle) {
  const std::vector<uint16_t> half = {0x3C00, 0xC000, 0x0001, 0x8000,
                                      0x7BFF, 0x03FF, 0x7C00, 0x7E00};
  const SafetensorsFile file =
      open(file_of(R"({"h":{"dtype":"F16","shape":[8],"data_offsets":[0,16]},)"
                   R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[16,20]}})",
                   bytes_of(half) + bytes_of(std::vector<uint16_t>{0x3F80, 0xC2F7})));
  Tensor h({8}), b({2});
  file.read("h", h);
  file.read("b", b);
  const float* x = h.data<float>();
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[1], -2);
  EXPECT_EQ(x[2], 0x1p-24f);
  EXPECT_TRUE(x[3] == 0 && std::signbit(x[3]));
  EXPECT_EQ(x[4], 65504);
  EXPECT_EQ(x[5], 1023 * 0x1p-24f);
  EXPECT_TRUE(std::isinf(x[6]) && std::isnan(x[7]));
  EXPECT_THAT(b.span<float>(), ElementsAre(1, -123.5));
}

TEST_F(SafetensorsTest, ComplaintsNameFileAndTensor) {
  write_two(path());
  const SafetensorsFile file(path());
  Tensor matrix({3, 2});
  EXPECT_EQ(error_of([&] { file.read("matrix", matrix); }),
            path().string() + ": tensor \"matrix\" has shape [2, 3], expected [3, 2]");
  EXPECT_EQ(error_of([&] { file.read("bias", matrix); }),
            path().string() + ": the tensor \"bias\" is missing");
  const SafetensorsFile whole =
      open(file_of(R"({"n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", std::string(8, 0)));
  Tensor one({1});
  EXPECT_EQ(error_of([&] { whole.read("n", one); }),
            path().string() + ": tensor \"n\" is I64, expected F32, F16, BF16 or F64");
}

TEST_F(SafetensorsTest, ABadHeaderIsRefused) {
  const auto one = [](const std::string& inner) { return "{\"x\":{" + inner + "}}"; };
  EXPECT_THAT(complaint("[]"), HasFacts("JSON"));
  EXPECT_THAT(complaint("{"), HasSubstr("no valid JSON"));
  EXPECT_THAT(complaint(R"({"x":1e999})"), HasSubstr("out of range"));
  EXPECT_THAT(complaint("{\"x\":" + std::string(100000, '[') + std::string(100000, ']') + "}"),
              HasSubstr("nested deeper"));
  EXPECT_THAT(complaint(R"({"x":3})"), HasSubstr("expected exactly dtype, shape"));
  EXPECT_THAT(complaint(one(R"("dtype":"F8_E4M3","shape":[],"data_offsets":[0,1])"), 1),
              HasFacts("\"F8_E4M3\""));
  EXPECT_THAT(complaint(one(R"("dtype":"F32","shape":[-1],"data_offsets":[0,0])")),
              HasFacts("whole numbers"));
  EXPECT_THAT(
      complaint(one(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])")),
      HasFacts("memory"));
  EXPECT_THAT(
      complaint(one(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,0])")),
      HasFacts("whole numbers"));
  EXPECT_THAT(complaint(one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), 3),
              HasFacts("3 bytes"));
  EXPECT_THAT(complaint(one(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), 4),
              HasFacts("4 bytes"));
  EXPECT_THAT(complaint(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), 4),
              HasFacts("4 8 F32 [2]"));
  EXPECT_THAT(complaint(one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), 5),
              HasFacts("1 bytes last tensor"));
  EXPECT_THAT(complaint(R"({"__metadata__":{"a":1}})"), HasSubstr("\"a\" is 1, expected a string"));
}

TEST_F(SafetensorsTest, TensorsLieEndToEndUnderOneNameEach) {
  const std::string x = R"("dtype":"F32","shape":[1],"data_offsets":)";
  const auto two = [&](const std::string& a, const std::string& b, const std::string& name = "b") {
    return "{\"a\":{" + x + a + "},\"" + name + "\":{" + x + b + "}}";
  };
  EXPECT_EQ(open(file_of(two("[4,8]", "[0,4]"), std::string(8, '\0'))).tensors().size(), 2u);
  EXPECT_THAT(complaint(two("[0,4]", "[0,4]"), 4), HasFacts("overlap"));
  EXPECT_THAT(complaint(two("[0,4]", "[2,6]"), 6), HasFacts("overlap"));
  EXPECT_THAT(complaint(two("[0,4]", "[8,12]"), 12), HasFacts("overlap"));
  EXPECT_THAT(complaint(two("[0,4]", "[4,8]", "a"), 8), HasFacts("\"a\""));
}

TEST_F(SafetensorsTest, ADamagedFileIsAnErrorOrReadable) {
  write_two(path());
  const std::string good = read_file(path());
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(error_of([&] { open(good.substr(0, length)); }), "");
  int refused = 0;
  testing::for_each_damaged(good, good.size(), 600, [&](const std::string& bytes) {
    try {
      const SafetensorsFile file = open(bytes);
      for (const StoredTensor& stored : file.tensors()) {
        Tensor values(stored.shape, DType::fp64);
        file.read(stored.name, values);
      }
    } catch (const Error&) {
      ++refused;
    }
  });
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace heed

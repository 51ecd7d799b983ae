#include "heed/model/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "heed/core/json_text.h"
#include "heed/core/strict_json.h"

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

namespace heed {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int64_t kPrefix = 8;                           // bytes of the header's length
constexpr int64_t kMaxHeaderBytes = int64_t{100} << 20;  // the format's own limit

// The bytes of an element; 0 for a type that the format or heed does not know.
int64_t bytes_of(std::string_view type) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, type) != names.end();
  };
  if (is_one_of({"BOOL", "U8", "I8"})) return 1;
  if (is_one_of({"F16", "BF16", "U16", "I16"})) return 2;
  if (is_one_of({"F32", "U32", "I32"})) return 4;
  return is_one_of({"F64", "U64", "I64"}) ? 8 : 0;
}

float from_half(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
  if (exponent == 0) {  // zero or subnormal
    const float magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// values[i] = convert(stored value i); the stored ones need not be aligned.
template <class Stored, class Value, class Convert>
void convert_all(std::span<const std::byte> bytes, std::span<Value> values, Convert convert) {
  for (size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = Value(convert(stored));
  }
}

// False for a type that holds no floating-point numbers.
template <class Value>
bool convert_into(const StoredTensor& stored, std::span<Value> values) {
  if (stored.type == "F32")
    convert_all<float>(stored.bytes, values, [](float x) { return x; });
  else if (stored.type == "F64")
    convert_all<double>(stored.bytes, values, [](double x) { return x; });
  else if (stored.type == "F16")
    convert_all<uint16_t>(stored.bytes, values, from_half);
  else if (stored.type == "BF16")
    convert_all<Bf16>(stored.bytes, values, [](Bf16 x) { return float(x); });
  else
    return false;
  return true;
}

// Reads and checks the header of one file.
class HeaderReader {
 public:
  HeaderReader(std::string path, std::span<const std::byte> file)
      : path_(std::move(path)), file_(file) {}

  void read(Metadata& metadata, std::vector<StoredTensor>& tensors) {
    const json header = detail::parse_json(text(), path_ + ", header");
    if (!header.is_object()) fail("{}: the header is no JSON object", path_);
    for (const auto& [name, value] : header.items()) {
      if (name == "__metadata__")
        read_metadata(value, metadata);
      else
        tensors.push_back(read_tensor(name, value));
    }
    std::ranges::sort(tensors, std::less(), [](const StoredTensor& tensor) {
      return std::tuple(tensor.bytes.data(), tensor.bytes.size(), std::string_view(tensor.name));
    });
    check_places(tensors);
  }

 private:
  // The header's text; what follows it is data_.
  std::string_view text() {
    const int64_t size = int64_t(file_.size());
    if (size < kPrefix)
      fail("{}: {} bytes are no safetensors file; it is cut short or something else", path_, size);
    uint64_t length = 0;
    std::memcpy(&length, file_.data(), kPrefix);
    if (length > uint64_t(kMaxHeaderBytes))
      fail("{}: a header of {} bytes, expected at most {}; this is no safetensors file", path_,
           length, kMaxHeaderBytes);
    if (int64_t(length) > size - kPrefix)
      fail("{}: a header of {} bytes in a file of {}; the file is cut short", path_, length, size);
    data_ = file_.subspan(size_t(kPrefix) + length);
    return {reinterpret_cast<const char*>(file_.data()) + kPrefix, length};
  }

  void read_metadata(const json& value, Metadata& metadata) const {
    if (!value.is_object()) fail("{}: __metadata__ is no JSON object", path_);
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string())
        fail("{}: __metadata__ {} is {}, expected a string", path_, detail::quote(key),
             detail::quote(text));
      metadata.emplace(key, text.get<std::string>());
    }
  }

  // A whole number from 0 to 2^63 - 1.
  static bool is_count(const json& value) {
    return value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t(INT64_MAX);
  }

  [[noreturn]] void reject(const std::string& name, const std::string& what) const {
    fail("{}: tensor {}: {}", path_, detail::quote(name), what);
  }

  StoredTensor read_tensor(const std::string& name, const json& value) const {
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
        !value.contains("shape") || !value.contains("data_offsets"))
      reject(name, "expected exactly dtype, shape and data_offsets, got " + detail::quote(value));
    const json& type = value["dtype"];
    if (!type.is_string() || bytes_of(type.get_ref<const std::string&>()) == 0)
      reject(name, "a dtype that heed does not know: " + detail::quote(type));
    StoredTensor tensor{name, type, {}, {}};
    const int64_t bytes = read_shape(tensor, value["shape"]);
    const json& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !is_count(offsets[0]) ||
        !is_count(offsets[1]))
      reject(name, "data_offsets are " + detail::quote(offsets) + ", expected two whole numbers");
    const int64_t begin = offsets[0], end = offsets[1];
    if (begin > end || end > int64_t(data_.size()))
      reject(name, fmt::format("data_offsets {} outside the {} bytes of data; the file is cut "
                               "short or damaged",
                               detail::quote(offsets), data_.size()));
    if (end - begin != bytes)
      reject(name, fmt::format("{} bytes of data, expected {} for {} {}", end - begin, bytes,
                               tensor.type, to_string(tensor.shape)));
    tensor.bytes = data_.subspan(size_t(begin), size_t(bytes));
    return tensor;
  }

  // Fills the shape and returns the bytes that it needs.
  int64_t read_shape(StoredTensor& tensor, const json& shape) const {
    constexpr size_t kMaxDimensions = 32;
    if (!shape.is_array() || shape.size() > kMaxDimensions)
      reject(tensor.name, "the shape is " + detail::quote(shape) + ", expected a short list");
    int64_t bytes = bytes_of(tensor.type);
    for (const json& dimension : shape) {
      if (!is_count(dimension))
        reject(tensor.name, "the shape is " + detail::quote(shape) + ", expected whole numbers");
      tensor.shape.push_back(dimension);
      if (__builtin_mul_overflow(bytes, tensor.shape.back(), &bytes))
        reject(tensor.name, "the shape " + detail::quote(shape) + " is larger than any memory");
    }
    return bytes;
  }

  // The format wants the tensors end to end, and nothing else in the file.
  void check_places(const std::vector<StoredTensor>& tensors) const {
    int64_t position = 0;
    for (const StoredTensor& tensor : tensors) {
      const int64_t begin = tensor.bytes.data() - data_.data();
      if (begin != position)
        reject(tensor.name,
               fmt::format("its data begin at byte {}, expected {}: tensors overlap or "
                           "leave a hole",
                           begin, position));
      position += int64_t(tensor.bytes.size());
    }
    if (position != int64_t(data_.size()))
      fail("{}: {} bytes after the last tensor; the file is damaged", path_,
           int64_t(data_.size()) - position);
  }

  std::string path_;
  std::span<const std::byte> file_, data_;
};

constexpr const char* kChecksumKey = "checksum";
// In the place of a checksum while it is computed.
constexpr std::string_view kNoChecksum = "0000000000000000";

std::string digits_of(uint64_t checksum) {
  return fmt::format("{:0{}x}", checksum, kNoChecksum.size());
}

// Where the digits of the checksum are in a header's text. The pattern cannot be inside a value: a
// quotation mark is escaped there.
std::optional<size_t> find_checksum(std::string_view header) {
  const std::string before = fmt::format("\"{}\":\"", kChecksumKey);
  const size_t at = header.find(before);
  if (at == header.npos) return std::nullopt;
  return at + before.size();
}

// As the format calls it.
const char* name_of(DType type) {
  return type == DType::fp32   ? "F32"
         : type == DType::fp64 ? "F64"
         : type == DType::bf16 ? "BF16"
                               : "I8";
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     std::vector<TensorEntry> entries, Metadata metadata,
                                     Checksum checksum)
    : entries_(std::move(entries)), file_(path) {
  if (checksum == Checksum::stored) {
    hash_.emplace();
    metadata[kChecksumKey] = kNoChecksum;
  }
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  int64_t offset = 0;
  for (const TensorEntry& entry : entries_) {
    check(entry.name != "__metadata__", "a tensor named __metadata__");
    check(!header.contains(entry.name), "two tensors of one name");
    const int64_t end = offset + element_count(entry.shape) * size_of(entry.type);
    header[entry.name] = {
        {"dtype", name_of(entry.type)}, {"shape", entry.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the values are aligned
  const uint64_t length = text.size();
  write_bytes(std::string_view(reinterpret_cast<const char*>(&length), sizeof(length)));
  if (hash_) checksum_position_ = file_.size() + int64_t(find_checksum(text).value());
  write_bytes(text);
}

void SafetensorsWriter::write_bytes(std::string_view bytes) {
  if (hash_) hash_->add(bytes);
  file_.write(bytes);
}

void SafetensorsWriter::write(std::string_view name, const Tensor& values) {
  check(next_ < entries_.size() && entries_[next_].name == name, "tensor written out of order");
  const TensorEntry& entry = entries_[next_++];
  check(entry.type == values.dtype() && entry.shape == values.shape(), "tensor is not its entry");
  const Tensor host = to_host(values);
  write_bytes({reinterpret_cast<const char*>(host.bytes()), size_t(host.byte_count())});
}

void SafetensorsWriter::commit() {
  check(next_ == entries_.size(), "a tensor of the header was never written");
  if (hash_) file_.write_at(checksum_position_, digits_of(hash_->value()));
  file_.commit();
}

SafetensorsFile::SafetensorsFile(std::filesystem::path path)
    : path_(std::move(path)), file_(path_) {
  HeaderReader(path_.string(), file_.bytes()).read(metadata_, tensors_);
  for (size_t i = 0; i < tensors_.size(); ++i) index_.emplace(tensors_[i].name, i);
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

void SafetensorsFile::expect_undamaged(std::string_view advice) const {
  const auto stored = metadata_.find(kChecksumKey);
  if (stored == metadata_.end()) return;
  const std::string_view text = file_.text();
  uint64_t length = 0;
  std::memcpy(&length, text.data(), kPrefix);
  std::string header(text.substr(0, size_t(kPrefix) + length));
  const std::optional<size_t> digits = find_checksum(header);
  Hash hash;
  if (digits) {
    header.replace(*digits, stored->second.size(), kNoChecksum);
    hash.add(header);
    for (const StoredTensor& tensor : tensors_) {  // which fill the rest of the file, in order
      hash.add({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
      release_pages(tensor);
    }
  }
  if (!digits || digits_of(hash.value()) != stored->second)
    fail("{}: its contents differ from their checksum: the file is damaged; {}", path_.string(),
         advice);
}

const StoredTensor& SafetensorsFile::expect(std::string_view name, const Shape& shape) const {
  const StoredTensor* stored = find(name);
  if (stored == nullptr)
    fail("{}: the tensor {} is missing", path_.string(), detail::quote(std::string(name)));
  if (stored->shape != shape)
    fail("{}: tensor {} has shape {}, expected {}", path_.string(),
         detail::quote(std::string(name)), to_string(stored->shape), to_string(shape));
  return *stored;
}

void SafetensorsFile::read(std::string_view name, Tensor& values) const {
  const StoredTensor& stored = expect(name, values.shape());
  const bool on_host = values.storage()->memory->is_host();
  Tensor host = on_host ? values : Tensor(values.shape(), values.dtype());
  if (!with_values(host, [&](auto to) { return convert_into(stored, to); }))
    fail("{}: tensor {} is {}, expected F32, F16, BF16 or F64", path_.string(),
         detail::quote(std::string(name)), stored.type);
  if (!on_host) copy(host, values);
}

}  // namespace heed

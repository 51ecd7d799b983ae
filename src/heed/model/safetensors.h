// Tensors in a file: Hugging Face's safetensors format (a JSON header, then raw little-endian
// values), for models and training checkpoints alike.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/files.h"
#include "heed/core/hash.h"
#include "heed/core/tensor.h"

namespace heed {

// The `__metadata__` of a file.
using Metadata = std::map<std::string, std::string>;

// Name, type and shape of a tensor to write.
struct TensorEntry {
  std::string name;
  DType type = DType::fp32;
  Shape shape;
};

// Whether a file's metadata has a checksum of the whole file ("checksum", 16 hexadecimal digits,
// computed with zeros in their place), which SafetensorsFile::expect_undamaged() verifies.
enum class Checksum { none, stored };

// Writes a file tensor by tensor, without holding a copy of them all. The file appears on commit()
// (core/files.h: AtomicFile). The same content gives the same bytes.
class SafetensorsWriter {
 public:
  // The header, and with it the order of the tensors, comes first. Names must be distinct. Bytes of
  // metadata and names that are not UTF-8 are written as U+FFFD.
  SafetensorsWriter(const std::filesystem::path& path, std::vector<TensorEntry> entries,
                    Metadata metadata = {}, Checksum checksum = Checksum::none);

  // The next entry's values: its name, type and shape must be the entry's.
  void write(std::string_view name, const Tensor& values);
  // After the last entry: the file gets its name.
  void commit();

 private:
  void write_bytes(std::string_view bytes);

  std::vector<TensorEntry> entries_;
  size_t next_ = 0;
  AtomicFile file_;
  std::optional<Hash> hash_;       // of what is written, where the file gets a checksum
  int64_t checksum_position_ = 0;  // of its digits in the file
};

// A tensor in a file. Its bytes need not be aligned.
struct StoredTensor {
  std::string name;
  std::string type;  // as the format calls it: "F32", "F16", "BF16", "F64", "I64", ...
  Shape shape;
  std::span<const std::byte> bytes;
};

// A file mapped for reading. Everything its header says is checked when it is opened: the types,
// that each tensor's bytes are as many as its shape needs, and that the tensors fill the file
// without holes or overlaps. Anything invalid is an Error that names file and tensor.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  // In the order of their bytes.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  // Valid while the file object lives; none: nullptr.
  const StoredTensor* find(std::string_view name) const;

  // The same, but a missing tensor or another shape is an Error.
  const StoredTensor& expect(std::string_view name, const Shape& shape) const;
  // Fills `values` (fp32 or fp64) from a tensor of the same shape. F32, F16, BF16 and F64 are
  // converted; any other type, a missing tensor or another shape is an Error.
  void read(std::string_view name, Tensor& values) const;
  // Reads the whole file. Error, which ends with `advice`, if the file has a checksum and its
  // contents differ from it.
  void expect_undamaged(std::string_view advice) const;
  // Lets the operating system drop a tensor's bytes from memory.
  void release_pages(const StoredTensor& tensor) const { file_.release_pages(tensor.bytes); }

 private:
  std::filesystem::path path_;
  MappedFile file_;
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, size_t, std::less<>> index_;  // name to position in tensors_
};

}  // namespace heed

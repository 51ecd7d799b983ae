#include "heed/core/memory.h"

#include <sys/resource.h>

#include <cstring>
#include <vector>

#include "support/folder_test.h"

namespace heed {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

class MemoryTest : public FolderTest {
 protected:
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    write(path, text);
  }
  std::optional<MemoryLimit> available() const { return available_memory(folder_); }
};

TEST_F(MemoryTest, TheMachineSaysWhatItHasLeft) {
  EXPECT_FALSE(available());
  put("proc/meminfo", "MemTotal:  900 kB\nMemAvailableX: 1 kB\nMemAvailable:    800 kB\n");
  ASSERT_TRUE(available());
  EXPECT_EQ(available()->bytes, 800 * 1024);
  EXPECT_EQ(available()->source, "the machine");
}

TEST_F(MemoryTest, AGroupAndAllAboveItCount) {
  put("proc/meminfo", "MemAvailable: 1000000 kB\n");
  put("proc/self/cgroup", "0::/outer/inner\n");
  const std::string group = "sys/fs/cgroup/outer/";
  put(group + "inner/memory.max", "max\n");
  put(group + "inner/memory.current", "5\n");
  EXPECT_EQ(available()->source, "the machine");
  put(group + "memory.max", "1000\n");
  put(group + "memory.current", "700\n");
  put(group + "memory.stat", "active_file 1\ninactive_file 50\n");
  EXPECT_EQ(available()->bytes, 350);
  EXPECT_EQ(available()->source, "its control group");
  put(group + "memory.current", "7000\n");
  EXPECT_EQ(available()->bytes, 0);
}

TEST_F(MemoryTest, GroupsOfTheFirstVersionCountToo) {
  put("proc/self/cgroup", "3:cpu,memory:/a\n2:pids:/b\nnonsense\n");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1\n");
  EXPECT_FALSE(available());
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "100\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "90\n");
  put("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 7\n");
  EXPECT_EQ(available()->bytes, 17);
}

TEST_F(MemoryTest, ALimitOfAddressesCounts) {
  put("proc/self/status", "VmSize:   1024 kB\n");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit tight{rlim_t(int64_t{1} << 46), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const auto limit = available();
  setrlimit(RLIMIT_AS, &before);
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->bytes, (int64_t{1} << 46) - kMebibyte);
  EXPECT_EQ(limit->source, "ulimit -v");
}

TEST_F(MemoryTest, HeldMemoryIsSeen) {
  const int64_t before = resident_bytes();
  ASSERT_GT(before, 0) << "needs /proc";
  std::vector<char> block(size_t(64 * kMebibyte));
  std::memset(block.data(), 1, block.size());
  EXPECT_GT(resident_bytes(), before + 60 * kMebibyte);
  EXPECT_GE(peak_resident_bytes(), resident_bytes() - kMebibyte);
  EXPECT_EQ(block[block.size() / 2], 1);
}

TEST(MemoryText, IsReadable) {
  EXPECT_EQ(memory_text(400'000), "0.4 MiB");
  EXPECT_EQ(memory_text(312 * kMebibyte), "312 MiB");
  EXPECT_EQ(memory_text(1900 * kMebibyte), "1.9 GiB");
}

}  // namespace
}  // namespace heed

// One process at a time writes to a folder.
#pragma once

#include <filesystem>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/core/temporary_file.h"

namespace heed {

// Claims a folder for writing, and makes it, with those above it, where need be. The claim is an
// advisory lock on the folder itself (flock), which the kernel releases when the process ends in
// whatever way: no lock file is left, and readers need no rights. Where the file system cannot lock
// a folder (some network file systems), the claim holds without one.
class FolderClaim {
 public:
  // Error where another claim holds, of this process or of another one.
  explicit FolderClaim(const std::filesystem::path& folder);
  FolderClaim(FolderClaim&&) noexcept = default;
  FolderClaim& operator=(FolderClaim&&) = delete;
  // Removes the folders that it made and that are empty, as remove_temporary_files() does while it
  // lives.
  ~FolderClaim() = default;

  // Error where the folder was moved or replaced since: what is written by its name would land in
  // another folder. Does nothing where it was removed; writing to it fails then.
  void expect_in_place() const;

  // Makes a folder below the claimed one.
  void make(const std::filesystem::path& folder) { made_.make(folder); }

 private:
  class MadeFolders {
   public:
    MadeFolders() = default;
    MadeFolders(MadeFolders&&) noexcept = default;
    MadeFolders& operator=(MadeFolders&&) = delete;
    ~MadeFolders();
    void make(const std::filesystem::path& folder);
    void keep() { names_.clear(); }

   private:
    std::vector<detail::ListedName> names_;  // outer before inner
  };

  std::filesystem::path folder_;
  Descriptor lock_;   // declared before made_, so that it is released after
  MadeFolders made_;  // these are removed
};

// Whether a process has claimed the folder; false where that cannot be known. Takes the lock for a
// moment.
bool is_claimed(const std::filesystem::path& folder);

}  // namespace heed

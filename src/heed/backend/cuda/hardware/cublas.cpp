// Products by cuBLASLt, which is opened at run time: the library takes half a gigabyte, and most
// machines do not have it.
//
// Measured on an H200 (cuBLASLt 13.1): at all shapes of the paper's base and big models, every
// algorithm that does not split the sum over the inner dimension gives a row the same bits,
// whatever the number of rows, and all of these algorithms give the same (docs/performance.md). So
// the algorithm may be chosen by the number of rows, as long as it does not split the sum.
#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <stdexcept>

#include "heed/backend/cuda/device.h"
#include "heed/backend/cuda/products.h"

namespace heed::cuda {
namespace {

constexpr int64_t kWorkspaceBytes = int64_t{64} << 20;
constexpr int64_t kWide = 8;         // columns that bf16 kernels treat at a time
constexpr int64_t kAlignment = 256;  // bytes: no kernel asks for more
constexpr int64_t kTypicalRows = 2048;
constexpr int64_t kManyRows = 25000;

void expect(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(fmt::format("cuBLASLt: error {}", int(status)));
}

// The functions of the library that are used.
struct Library {
  decltype(cublasLtCreate)* create;
  decltype(cublasLtMatmulDescCreate)* create_operation;
  decltype(cublasLtMatmulDescDestroy)* destroy_operation;
  decltype(cublasLtMatmulDescSetAttribute)* set_of_operation;
  decltype(cublasLtMatrixLayoutCreate)* create_layout;
  decltype(cublasLtMatrixLayoutDestroy)* destroy_layout;
  decltype(cublasLtMatmulPreferenceCreate)* create_preference;
  decltype(cublasLtMatmulPreferenceDestroy)* destroy_preference;
  decltype(cublasLtMatmulPreferenceSetAttribute)* set_of_preference;
  decltype(cublasLtMatmulAlgoGetHeuristic)* find_algorithms;
  decltype(cublasLtMatmulAlgoCheck)* check_algorithm;
  decltype(cublasLtMatmul)* multiply;

  // Whether all of them were found; else why not.
  bool open(std::string& why_not) {
    void* library = nullptr;
    for (const char* name : {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13",
                             "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.12"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      why_not = "the library libcublasLt.so.13 of CUDA is not found (set LD_LIBRARY_PATH?)";
      return false;
    }
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      if (!function) why_not = fmt::format("libcublasLt has no {}", name);
      return function != nullptr;
    };
    return find("cublasLtCreate", create) && find("cublasLtMatmulDescCreate", create_operation) &&
           find("cublasLtMatmulDescDestroy", destroy_operation) &&
           find("cublasLtMatmulDescSetAttribute", set_of_operation) &&
           find("cublasLtMatrixLayoutCreate", create_layout) &&
           find("cublasLtMatrixLayoutDestroy", destroy_layout) &&
           find("cublasLtMatmulPreferenceCreate", create_preference) &&
           find("cublasLtMatmulPreferenceDestroy", destroy_preference) &&
           find("cublasLtMatmulPreferenceSetAttribute", set_of_preference) &&
           find("cublasLtMatmulAlgoGetHeuristic", find_algorithms) &&
           find("cublasLtMatmulAlgoCheck", check_algorithm) && find("cublasLtMatmul", multiply);
  }
};

// What an algorithm is chosen by.
using Key = std::array<int64_t, 11>;

class CublasLt {
 public:
  bool open(std::string& why_not) {
    const std::lock_guard lock(mutex_);
    if (handle_) return true;
    if (!library_.open(why_not)) return false;
    if (!workspace_) workspace_ = allocate(kWorkspaceBytes);
    if (!workspace_) {
      why_not = "the GPU has no free memory";
      return false;
    }
    if (library_.create(&handle_) == CUBLAS_STATUS_SUCCESS) return true;
    handle_ = nullptr;
    why_not = "libcublasLt cannot use this GPU";
    return false;
  }

  void multiply(const Product& product) {
    const std::lock_guard lock(mutex_);
    const Layouts layouts(library_, product, product.rows);
    const float one = 1, beta = product.mode == WriteMode::accumulate ? 1 : 0;
    // Column-major, as cuBLAS has matrices, the result is transposed: its left operand is `right`.
    expect(library_.multiply(handle_, layouts.operation, &one, product.right.data, layouts.right,
                             product.left.data, layouts.left, &beta, product.result, layouts.result,
                             product.result, layouts.result, &algorithm(product), workspace_,
                             size_t(kWorkspaceBytes), nullptr));
  }

 private:
  // The descriptions of a product with this number of rows.
  struct Layouts {
    Layouts(const Library& library, const Product& product, int64_t rows) : library_(library) {
      using Form = Product::Form;
      expect(library.create_operation(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
      set(CUBLASLT_MATMUL_DESC_TRANSA, product.form == Form::forward ? CUBLAS_OP_T : CUBLAS_OP_N);
      set(CUBLASLT_MATMUL_DESC_TRANSB,
          product.form == Form::weight_gradient ? CUBLAS_OP_T : CUBLAS_OP_N);
      if (product.bias) {
        set(CUBLASLT_MATMUL_DESC_EPILOGUE,
            product.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
        set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
      }
      const cudaDataType_t type = product.type == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
      right = layout(type, product.form == Form::forward ? product.depth : product.columns,
                     product.form == Form::forward ? product.columns : product.depth,
                     product.right.stride);
      left =
          layout(type, product.form == Form::weight_gradient ? rows : product.depth,
                 product.form == Form::weight_gradient ? product.depth : rows, product.left.stride);
      result = layout(CUDA_R_32F, product.columns, rows, product.stride);
    }
    ~Layouts() {
      library_.destroy_operation(operation);
      for (const cublasLtMatrixLayout_t each : {left, right, result}) library_.destroy_layout(each);
    }
    Layouts(const Layouts&) = delete;
    Layouts& operator=(const Layouts&) = delete;

    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;

   private:
    template <class T>
    void set(cublasLtMatmulDescAttributes_t attribute, T value) {
      expect(library_.set_of_operation(operation, attribute, &value, sizeof value));
    }
    cublasLtMatrixLayout_t layout(cudaDataType_t type, int64_t rows, int64_t columns,
                                  int64_t stride) {
      cublasLtMatrixLayout_t created = nullptr;
      expect(library_.create_layout(&created, type, uint64_t(rows), uint64_t(columns), stride));
      return created;
    }

    const Library& library_;
  };

  // A product's algorithm is chosen by this. Asking the library takes longer than a small product,
  // so numbers of rows are rounded before it is asked; where its algorithms are not known to give
  // the same bits for any number of rows, it is always asked for kTypicalRows.
  struct Choice {
    explicit Choice(const Product& product) : near(product) {
      const bool sums_rows = product.form == Product::Form::weight_gradient;
      const bool any_number =
          product.type == DType::bf16 && product.columns % kWide == 0 && product.depth % kWide == 0;
      if (sums_rows)
        near.depth = rounded(product.depth);
      else
        near.rows = any_number ? rounded(product.rows) : kTypicalRows;
      // A matrix's address is aligned at least as well as its stride, so the stride alone decides.
      // A weight gradient may have other bits if its operands lie at other addresses, so there the
      // address takes part in the choice.
      const auto operand = [&](const Matrix& matrix) {
        return alignment_of(
            {matrix.stride * size_of(product.type), sums_rows ? address(matrix.data) : 0});
      };
      left = operand(product.left);
      right = operand(product.right);
      result = alignment_of({product.stride * int64_t(sizeof(float))});
    }
    Key key() const {
      return {int64_t(near.form),
              int64_t(near.type),
              near.rows,
              near.columns,
              near.depth,
              left,
              right,
              result,
              near.bias != nullptr,
              near.relu,
              near.mode == WriteMode::accumulate};
    }

    Product near;  // the product with rounded rows or depth, for which the library is asked
    int64_t left, right, result;  // alignment of rows, in bytes

   private:
    static int64_t address(const void* data) {
      return int64_t(reinterpret_cast<std::uintptr_t>(data) % kAlignment);
    }
    // The greatest power of two up to kAlignment that divides all.
    static int64_t alignment_of(std::initializer_list<int64_t> values) {
      int64_t bits = kAlignment;
      for (const int64_t value : values) bits |= value;
      return bits & -bits;
    }
    // Rounds up, by less than an eighth.
    static int64_t rounded(int64_t count) {
      int64_t step = 1;
      while (step * 16 < count) step *= 2;
      return (count + step - 1) / step * step;
    }
  };

  const cublasLtMatmulAlgo_t& algorithm(const Product& product) {
    const Choice choice(product);
    const auto found = algorithms_.find(choice.key());
    if (found != algorithms_.end()) return found->second;
    return algorithms_.emplace(choice.key(), choose(choice)).first->second;
  }

  cublasLtMatmulAlgo_t choose(const Choice& choice) const {
    const Layouts layouts(library_, choice.near, choice.near.rows);
    cublasLtMatmulPreference_t preference = nullptr;
    expect(library_.create_preference(&preference));
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      expect(library_.set_of_preference(preference, attribute, &value, sizeof value));
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, size_t(kWorkspaceBytes));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, uint32_t(choice.right));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, uint32_t(choice.left));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, uint32_t(choice.result));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, uint32_t(choice.result));
    const bool sums_rows = choice.near.form == Product::Form::weight_gradient;
    if (!sums_rows)
      set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t(CUBLASLT_REDUCTION_SCHEME_NONE));
    std::array<cublasLtMatmulHeuristicResult_t, 8> found = {};
    int count = 0;
    const cublasStatus_t status = library_.find_algorithms(
        handle_, layouts.operation, layouts.right, layouts.left, layouts.result, layouts.result,
        preference, int(found.size()), found.data(), &count);
    library_.destroy_preference(preference);
    expect(status);
    for (int i = 0; i < count; ++i)
      if (sums_rows || takes_many_rows(choice.near, found[size_t(i)].algo))
        return found[size_t(i)].algo;
    throw std::runtime_error("cuBLASLt has no algorithm for a product");
  }

  // Whether an algorithm takes many rows. Those that do not are for products with a vector, and sum
  // in another order.
  bool takes_many_rows(const Product& product, const cublasLtMatmulAlgo_t& algorithm) const {
    const Layouts layouts(library_, product, kManyRows);
    cublasLtMatmulHeuristicResult_t result = {};
    return library_.check_algorithm(handle_, layouts.operation, layouts.right, layouts.left,
                                    layouts.result, layouts.result, &algorithm,
                                    &result) == CUBLAS_STATUS_SUCCESS;
  }

  std::mutex mutex_;
  Library library_ = {};
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  std::map<Key, cublasLtMatmulAlgo_t> algorithms_;
};

CublasLt& cublas() {
  static CublasLt cublas;
  return cublas;
}

}  // namespace

bool find_products(std::string& why_not) {
  return cublas().open(why_not);
}

void multiply(const Product& product) {
  if (product.rows > 0 && product.columns > 0) cublas().multiply(product);
}

}  // namespace heed::cuda

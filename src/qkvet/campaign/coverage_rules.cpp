// The committed list of pairs of feature values that are not asked for, each rule with its reason:
// most have no problem at all, some would cost more than they show.
#include <array>
#include <qkvet/campaign/coverage.hpp>

namespace qkvet {
namespace {

constexpr std::string_view mask_parts =
    "mask batch|mask heads|mask rows|mask keys|mask bytes|layout of mask";
constexpr std::string_view bias_parts =
    "bias batch|bias heads|bias rows|bias keys|bias values|bias format|layout of bias";
constexpr std::string_view tiles =
    "first tile hidden|last tile hidden|inside of tiles only|hole of a tile";
constexpr std::string_view no_mask = "without a boolean mask it has no form, bytes or layout";
constexpr std::string_view no_bias = "without a bias it has no form, values, format or layout";
constexpr std::string_view one_place = "an axis of one place is neither broadcast nor its own";
constexpr std::string_view one_tile = "no more than 16 keys are one tile";
constexpr std::string_view whole = "an aligned shape has whole tiles of rows, keys and channels";
constexpr std::string_view dear =
    "it costs as much as hundreds of others, so it is left to chance, with one channel or two and "
    "one row or two";

constexpr std::array rules{
    ExcludedPairs{mask_parts, "none", mask_parts, "!none", no_mask},
    ExcludedPairs{bias_parts, "none", bias_parts, "!none", no_bias},
    ExcludedPairs{"row of sentinels", "yes", bias_parts, "none", no_bias},
    ExcludedPairs{"row of sentinels", "yes", "bias values", "finite|-inf",
                  "a row of sentinels has sentinels, and a drawn bias those of one kind"},
    ExcludedPairs{"bias format", "another", "", "*",
                  "drawn beside f16 and bf16 only: beside f32 and f64 few kernels take another one"},
    ExcludedPairs{"group", "1", "kv heads", "as many as the group", "that is one head, or several"},
    ExcludedPairs{"lse", "no", "layout of lse", "!none", "no LSE, no layout"},
    ExcludedPairs{"lse", "yes", "layout of lse", "none", "an LSE has a layout"},
    ExcludedPairs{"batch", "1", "mask batch|bias batch", "1|own", one_place},
    ExcludedPairs{"lengths", "L = 1", "mask rows|bias rows", "1|own", one_place},
    ExcludedPairs{"lengths", "L = 1", "rows", "!< 15", "one row is fewer than 15"},
    ExcludedPairs{"keys", "1-16", "keys in tile", "64 n|16 n + 1", one_tile},
    ExcludedPairs{"keys", "1-16", tiles, "yes", one_tile},
    ExcludedPairs{"aligned shape", "yes", "rows", "!end of a tile", whole},
    ExcludedPairs{"aligned shape", "yes", "keys in tile", "inside|16 n + 1|16 n - 1", whole},
    ExcludedPairs{"aligned shape", "yes", "d_k", "!32 and more, 16 n", whole},
    ExcludedPairs{"aligned shape", "yes", "lengths", "L = 1", whole},
    ExcludedPairs{"far diagonal", "yes", "causal", "tl", "the diagonal at the top left is at 0"},
    ExcludedPairs{"stratum", "empty-rows", "empty row", "no", "that stratum is there to empty rows"},
    ExcludedPairs{"hole of a tile", "yes", mask_parts, "none",
                  "only a boolean mask is drawn with holes of a tile"},
    ExcludedPairs{"hole of a tile", "yes", "mask keys", "1", "one byte for all keys has no holes"},
    ExcludedPairs{"keys", "4097-32768|> 32768", "", "*", dear},
    ExcludedPairs{"batch", "> 65535", "", "*", dear},
    ExcludedPairs{"kv heads", "> 65535", "", "*", dear},
};

}  // namespace

std::span<const ExcludedPairs> excluded_pairs() { return rules; }

}  // namespace qkvet

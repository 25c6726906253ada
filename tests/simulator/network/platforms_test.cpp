// SPDX-License-Identifier: MIT

#include "bracket/simulator/platforms.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace platforms_test {

using namespace bracket;
using Catch::Contains;
using Kind = PlatformSpec::Kind;
using Numbers = std::vector<Index>;

TEST_CASE("platforms by name") {
  CHECK(PlatformSpec{}.kind == Kind::cluster);
  CHECK(PlatformSpec::parse("cluster").nodes() == 0);
  CHECK(PlatformSpec::parse("backbone:2.5e9").bandwidth == 2.5e9);
  CHECK(PlatformSpec::parse("backbone:1").nodes() == 0);

  const auto torus = PlatformSpec::parse("torus:4x3x2");
  CHECK(torus.kind == Kind::torus);
  CHECK(torus.sizes == Numbers{4, 3, 2});
  CHECK(torus.nodes() == 24);
  CHECK(torus.written == "torus:4x3x2");

  const auto tree = PlatformSpec::parse("fat-tree:4x3:1x2");
  CHECK(tree.sizes == Numbers{4, 3});
  CHECK(tree.up == Numbers{1, 2});
  CHECK(tree.parallel == Numbers{1, 1});
  CHECK(tree.nodes() == 12);
  CHECK(PlatformSpec::parse("fat-tree:4x3:1x2:1x5").parallel == Numbers{1, 5});

  const auto dragonfly = PlatformSpec::parse("dragonfly:3x2x4x5");
  CHECK(dragonfly.sizes == Numbers{3, 2, 4, 5});
  CHECK(dragonfly.parallel == Numbers{1, 1, 1});
  CHECK(dragonfly.nodes() == 120);
  CHECK(PlatformSpec::parse("dragonfly:3x2x4x5:6x7x8").parallel == Numbers{6, 7, 8});
  CHECK(PlatformSpec::parse("dragonfly:4x1x4x1").nodes() == 16);
}

TEST_CASE("a platform that no memory holds is refused before it is made") {
  const auto parts = [](const char* written) { return PlatformSpec::parse(written).parts(); };
  CHECK(parts("cluster") == 0);
  CHECK(parts("torus:4x3x2") == 24 + 3 * 24);
  // 12 hosts, 3 and 2 switches; 12 and 3 · 2 · 5 links.
  CHECK(parts("fat-tree:4x3:1x2:1x5") == 12 + 3 + 2 + 12 + 30);
  // 120 hosts with a link each, 24 routers; 6 links in each of 6 chassis, 4 · 1 in each of 3
  // groups, 3 between groups.
  CHECK(parts("dragonfly:3x2x4x5") == 240 + 24 + 36 + 12 + 3);

  CHECK_NOTHROW(PlatformSpec::parse("dragonfly:3x2x4x5").check_memory());
  std::string vast = "torus:2";
  for (int dimension = 1; dimension < 24; ++dimension) vast += "x2";
  CHECK_THROWS_WITH(PlatformSpec::parse(vast).check_memory(),
                    Contains(vast) && Contains("hosts, switches and links need about 547 GiB"));

  CHECK_NOTHROW(check_room("it", 1e6));
  CHECK_THROWS_WITH(check_room("its 9 nodes", 1e14),
                    Contains("its 9 nodes need about 93133 GiB of memory, this machine has"));

  const testing::Scratch scratch;
  const auto file = (scratch.path() / "x.xml").string();
  const auto with = [&](const std::string& radical) {
    support::write_file(file, "<platform><cluster id='c' radical=" + radical + "/></platform>");
    return PlatformSpec::parse(file);
  };
  CHECK(with("\"0-9,12, 20-20\"").parts() == 2 * 12);
  CHECK(with("'5-3'").parts() == 0);
  CHECK(with("''").parts() == 0);
  CHECK(with("'0-9").parts() == 2 * 10);
  std::string many = "'0";
  for (int i = 1; i < 200000; ++i) many += ",1";
  CHECK(with(many + "'").parts() == 2 * 200000);
  CHECK_THROWS_WITH(with("\"0-2000000000\"").check_memory(), Contains("x.xml: its 4000000002"));
}

TEST_CASE("a platform from a file") {
  CHECK(PlatformSpec::parse("nowhere.xml").kind == Kind::file);
  CHECK(PlatformSpec::parse("./cluster").kind == Kind::file);
  const testing::Scratch scratch;
  const auto file = (scratch.path() / "any").string();
  CHECK(PlatformSpec::parse(file).written == file);
}

TEST_CASE("what is no platform is refused") {
  const auto refused = [](const std::string& written, const std::string& cause) {
    CAPTURE(written);
    CHECK_THROWS_WITH(PlatformSpec::parse(written), Contains(written) && Contains(cause));
  };
  refused("magic", "unknown platform 'magic'; known: cluster, backbone:bandwidth");
  refused("FILE.XML", "unknown platform");
  CHECK_THROWS_AS(PlatformSpec::parse(""), Error);
  refused("cluster:4", "at most 0");
  refused("backbone", "above 0");
  refused("backbone:0", "above 0");
  refused("backbone:-1", "must not be negative");
  refused("backbone:1e999", "out of range");
  refused("backbone:inf", "not a finite number");
  refused("backbone:1:2", "at most 1");
  refused("torus", "each dimension must be given");
  refused("torus:", "is not a whole number");
  refused("torus:4x", "is not a whole number");
  refused("torus:4xx4", "is not a whole number");
  refused("torus:4,4", "is not a whole number");
  refused("torus:4x1", "must be from 2 to");
  refused("torus:4x-1", "must be from 2 to");
  refused("torus:99999999999999999999", "out of range");
  refused("torus:4096x4096x2", "more than 16777216 nodes");
  refused("torus:4x4:2", "at most 1");
  refused("fat-tree:4x4", "the links up must be given");
  refused("fat-tree:4x4:1", "2 numbers are wanted for the links up, not 1");
  refused("fat-tree:4x4:1x2:1", "2 numbers are wanted for the links in parallel");
  refused("fat-tree:4x4:1x0", "must be from 1 to");
  refused("fat-tree:2x2:4096x4097", "switches at a level");
  refused("dragonfly:3x2x4", "4 numbers are wanted");
  refused("dragonfly:3x2x4x5:1x1", "3 numbers are wanted");
  refused("dragonfly:5x2x4x1", "5 groups need as many routers in each chassis, not 4");
}

}  // namespace platforms_test

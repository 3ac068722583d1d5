// The recorded conversations and the hostile messages, without a socket.
#include "server/service.h"

#include "server/testing.h"
#include "support/assertions.h"

#include <gmock/gmock.h>

namespace ramet::server {
namespace {

using test::ordered_json;
using test::WireCase;
using testing::HasSubstr;
using testing::Not;

std::string reply_to(const Service& service, std::string_view body, RequestRecord& record) {
  Admission admission = service.admit(body, record);
  if (auto* answer = std::get_if<Answer>(&admission)) return std::move(answer->body);
  return service.answer(std::get<Call>(admission), record);
}

// A policy that gives the actions of the recorded reply, item by item.
ServedPolicy recorded_policy(const WireCase& item) {
  ServedPolicy policy = test::small_policy();
  policy.robot = test::robot_of(item);
  if (item.expect != "ok" || item.entry.value("endpoint", "") != "get_action") return policy;
  auto actions = std::make_shared<std::vector<Actions>>(test::actions_of(item.entry["reply"]["value"]));
  policy.act = [actions, next = std::make_shared<size_t>(0)](const Observation&, const ActOptions&) -> Result<Actions> {
    return actions->at((*next)++);
  };
  return policy;
}

ServiceOptions recorded_options(const WireCase& item, const std::vector<WireCase>& cases) {
  ServiceOptions options;
  options.wire = item.version == "n15"   ? Wire::n15
                 : item.version == "n16" ? Wire::npy
                 : item.version == "n17" ? Wire::mnp
                                         : Wire::automatic;
  if (item.name.find("token") == std::string::npos) return options;
  const auto with_token = std::ranges::find(cases, item.version + ".ping_token", &WireCase::name);
  options.api_token = with_token->entry["request"]["value"]["api_token"];
  return options;
}

// Errors of the policy itself, and what a policy of ours never returns.
bool is_about_the_policy(const std::string& name) {
  return name.ends_with("key_error") || name.ends_with("value_error") || name.ends_with("info_map") ||
         name.ends_with("reset_options");
}

TEST(Service, RecordedConversations) {
  const std::vector<WireCase> cases = test::wire_cases("index.json");
  if (cases.empty()) GTEST_SKIP() << "goldens/wire is not here";
  int compared = 0;
  for (const WireCase& item : cases) {
    if (!item.transport.empty() || is_about_the_policy(item.name)) continue;
    SCOPED_TRACE(item.name);
    const Service service(recorded_policy(item), recorded_options(item, cases));
    RequestRecord record;
    const std::string reply = reply_to(service, *item.request, record);
    EXPECT_EQ(record.code == "ok", item.expect == "ok") << record.error;
    if (item.reply) {
      EXPECT_EQ(reply, *item.reply) << record.error;
    }
    const auto tree = read_message(reply);
    ASSERT_OK(tree);
    if (item.expect == "error") {
      EXPECT_GT(tree->as<Map>()->find("error")->as<Text>()->view.size(), 3U);
    }
    ++compared;
  }
  EXPECT_GT(compared, 120);
}

TEST(Service, HostileMessages) {
  const std::vector<WireCase> cases = test::wire_cases("hostile/index.json");
  if (cases.empty()) GTEST_SKIP() << "goldens/wire is not here";
  const Service service(test::small_policy(), {});
  int sent = 0;
  for (const WireCase& item : cases) {
    if (!item.transport.empty()) continue;
    SCOPED_TRACE(item.name);
    RequestRecord record;
    const std::string reply = reply_to(service, *item.request, record);
    const auto tree = read_message(reply);
    ASSERT_OK(tree);
    const Value* error = tree->as<Map>() ? tree->as<Map>()->find("error") : nullptr;
    if (item.expect == "error") {
      ASSERT_TRUE(error && error->as<Text>()->view.size() > 3);
    }
    if (error) {
      EXPECT_LE(error->as<Text>()->view.size(), 300U);
    }
    EXPECT_THAT(reply, Not(HasSubstr("PICKLE")));
    ++sent;
  }
  EXPECT_GT(sent, 240);
}

// A get_action request for the small robot; what is given replaces the parts.
struct SmallRequest {
  std::string descr = "<f4";
  std::vector<float> state{0.5F, -1.0F};
  std::vector<int64_t> video_shape{1, 1, 2, 2, 3};
  std::string text = "go";
  std::function<void(MessageWriter&)> options = [](MessageWriter& writer) { writer.nil(); };

  std::string bytes() const {
    int64_t pixels = 1;
    for (const int64_t dim : video_shape) pixels *= dim;
    const std::string video(static_cast<size_t>(pixels), '\x10');
    MessageWriter writer;
    writer.map(2);
    writer.text("endpoint");
    writer.text("get_action");
    writer.text("data");
    writer.map(2);
    writer.text("observation");
    writer.map(3);
    writer.text("video");
    writer.map(1);
    writer.text("front");
    writer.array(ArrayForm::mnp, {"|u1", video_shape, video});
    writer.text("state");
    writer.map(1);
    writer.text("arm");
    const std::string_view raw(reinterpret_cast<const char*>(state.data()), state.size() * sizeof(float));
    writer.array(ArrayForm::mnp, {descr, {1, 1, static_cast<int64_t>(state.size())}, raw});
    writer.text("language");
    writer.map(1);
    writer.text("task");
    writer.list(1);
    writer.list(1);
    writer.text(text);
    writer.text("options");
    options(writer);
    return writer.take();
  }
};

std::string error_of(const Service& service, const SmallRequest& request) {
  RequestRecord record;
  const std::string reply = reply_to(service, request.bytes(), record);
  const auto tree = read_message(reply);
  if (!tree || !tree->as<Map>()) return "";
  return std::string(tree->as<Map>()->find("error")->as<Text>()->view);
}

TEST(Service, ErrorsSayWhatToChange) {
  const Service service(test::small_policy(), {});
  EXPECT_EQ(error_of(service, {.state = {1, NAN}}), "state key 'arm': expected finite numbers, found nan at 1");
  EXPECT_EQ(error_of(service, {.state = {1, INFINITY}}), "state key 'arm': expected finite numbers, found inf at 1");
  EXPECT_EQ(error_of(service, {.state = {1, 2, 3}}), "state key 'arm': expected [B,1,2], found [1,1,3]");
  EXPECT_EQ(error_of(service, {.descr = "<i4"}), "state key 'arm': expected dtype float32, found '<i4'");
  EXPECT_EQ(error_of(service, {.video_shape = {1, 1, 2, 2, 4}}),
            "video key 'front': expected [B,1,H,W,3], found [1,1,2,2,4]");
  EXPECT_THAT(error_of(service, {.video_shape = {1, 1, 0, 2, 3}}), HasSubstr("pictures of 1 to 8192 pixels a side"));
  EXPECT_THAT(error_of(service, {.video_shape = {0, 1, 2, 2, 3}}), HasSubstr("a batch of 1 to 32"));
  EXPECT_THAT(error_of(service, {.text = "see <|image_pad|>"}), HasSubstr("no places for pictures"));
  EXPECT_THAT(error_of(service, {.text = std::string(5000, 'a')}), HasSubstr("at most 4096 bytes"));
}

TEST(Service, LimitsCanBeChanged) {
  ServiceOptions options;
  options.rules = {.cast_types = true, .max_batch = 1, .max_image_side = 1, .max_text_bytes = 1};
  const Service service(test::small_policy(), options);
  EXPECT_THAT(error_of(service, {}), HasSubstr("1 to 1 pixels"));
  EXPECT_THAT(error_of(service, {.video_shape = {1, 1, 1, 1, 3}}), HasSubstr("at most 1 bytes"));
  EXPECT_EQ(error_of(service, {.descr = "<i4", .video_shape = {1, 1, 1, 1, 3}, .text = "a"}), "");
}

// The first element of the action is the seed or the noise, the second one the steps.
std::pair<float, float> first_values(const Service& service, const SmallRequest& request) {
  RequestRecord record;
  const std::string reply = reply_to(service, request.bytes(), record);
  EXPECT_EQ(record.code, "ok") << record.error;
  const auto tree = read_message(reply);
  const auto* array = tree->as<List>()->front().as<Map>()->find("arm")->as<Array>();
  std::pair<float, float> values;
  std::memcpy(&values.first, array->bytes.data(), sizeof(float));
  std::memcpy(&values.second, array->bytes.data() + sizeof(float), sizeof(float));
  return values;
}

TEST(Service, OptionsOfOneCall) {
  const Service service(test::small_policy(), {});
  const auto with = [](auto write) { return SmallRequest{.options = write}; };
  EXPECT_EQ(first_values(service, with([](MessageWriter& writer) {
                           writer.map(2);
                           writer.text("seed");
                           writer.integer(7);
                           writer.text("denoising_steps");
                           writer.integer(3);
                         })),
            std::pair(7.0F, 3.0F));
  const std::vector<float> noise(8, 2.5F);
  const std::string_view raw(reinterpret_cast<const char*>(noise.data()), noise.size() * sizeof(float));
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 2, 4}, {2, 4}})
    EXPECT_EQ(first_values(service, with([&](MessageWriter& writer) {
                             writer.map(1);
                             writer.text("noise");
                             writer.array(ArrayForm::npy, {"<f4", shape, raw});
                           }))
                  .first,
              2.5F);
  EXPECT_THAT(error_of(service, with([&](MessageWriter& writer) {
                         writer.map(1);
                         writer.text("noise");
                         writer.array(ArrayForm::npy, {"<f4", {4, 2}, raw});
                       })),
              HasSubstr("expected an array [1,2,4]"));
  for (const char* option : {"seed", "denoising_steps"})
    EXPECT_THAT(error_of(service, with([&](MessageWriter& writer) {
                           writer.map(1);
                           writer.text(option);
                           writer.integer(-1);
                         })),
                HasSubstr(std::string("options: ") + option));
  EXPECT_THAT(error_of(service, with([](MessageWriter& writer) { writer.list(0); })), HasSubstr("a map or nil"));
}

TEST(Service, SeedIsFixedOrNew) {
  ServiceOptions options;
  const auto seed_of_a_call = [&] {
    RequestRecord record;
    const Service service(test::small_policy(), options);
    static_cast<void>(reply_to(service, SmallRequest{}.bytes(), record));
    return record.seed.value();
  };
  EXPECT_NE(seed_of_a_call(), seed_of_a_call());
  options.seed = 5;
  EXPECT_EQ(seed_of_a_call(), 5U);
}

TEST(Service, SeedsOfOneServerDiffer) {
  const Service service(test::small_policy(), {});
  RequestRecord first, second;
  static_cast<void>(reply_to(service, SmallRequest{}.bytes(), first));
  static_cast<void>(reply_to(service, SmallRequest{}.bytes(), second));
  EXPECT_NE(first.seed.value(), second.seed.value());
}

TEST(Service, KillCanBeForbidden) {
  const std::string kill{
      "\x81\xa8"
      "endpoint"
      "\xa4"
      "kill"};
  RequestRecord record;
  const Service service(test::small_policy(), {});
  EXPECT_TRUE(std::get<Answer>(service.admit(kill, record)).ends_server);
  ServiceOptions options;
  options.allows_kill = false;
  const Service lasting(test::small_policy(), options);
  EXPECT_FALSE(std::get<Answer>(lasting.admit(kill, record)).ends_server);
  EXPECT_EQ(record.code, "unsupported");
}

TEST(Service, ErrorsHideTheInside) {
  ServedPolicy policy = test::small_policy();
  policy.act = [](const Observation&, const ActOptions&) -> Result<Actions> {
    return fail(Code::internal, "ramet", "no mistake", "/secret/path");
  };
  const Service service(policy, {});
  RequestRecord record;
  const std::string reply = reply_to(service, SmallRequest{}.bytes(), record);
  EXPECT_THAT(reply, Not(HasSubstr("secret")));
  EXPECT_THAT(record.error, HasSubstr("secret"));
  EXPECT_EQ(record.code, "internal");
}

TEST(ApiToken, AdmitsOnlyTheToken) {
  EXPECT_TRUE(ApiToken("").admits(std::string_view("anything")));
  const ApiToken token("secret");
  EXPECT_TRUE(token.admits(std::string_view("secret")));
  for (const std::string_view guess : {"", "secre", "secret ", "SECRET"}) EXPECT_FALSE(token.admits(guess)) << guess;
}

}  // namespace
}  // namespace ramet::server

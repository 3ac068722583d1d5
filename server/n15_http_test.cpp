// N1.5's HTTP protocol: the recorded conversations, and the listener's own answers.
#include "server/n15_http.h"

#include "server/json_numpy.h"
#include "server/testing.h"
#include "support/assertions.h"

#include <gmock/gmock.h>

namespace ramet::server {
namespace {

using testing::HasSubstr;

class N15Http : public testing::Test {
 protected:
  static ServedPolicy policy() {
    ServedPolicy policy = test::small_policy();
    policy.version = "GR00T N1.5";
    policy.robot.language_keys = {"annotation.human.task_description"};
    policy.act = [](const Observation&, const ActOptions&) -> Result<Actions> {
      Actions actions{.keys = {"arm"}};
      actions.actions["arm"] = {{2, 2}, {0.25F, -0.5F, 0.75F, 1.0F}};
      actions.timing = {{"total", 1.0}};
      return actions;
    };
    return policy;
  }
  static ServiceOptions token_options() {
    ServiceOptions options;
    options.api_token = "secret";
    return options;
  }
  static HttpReply post(const Service& service, const HttpRequest& request) {
    Metrics metrics;
    RequestLog log(LogFormat::json, [](const std::string&) {});
    InferenceQueue queue({});
    Desk desk{service, queue, metrics, log};
    return n15_routes(desk).front().handle(request);
  }
};

TEST_F(N15Http, RecordedConversations) {
  const Service service(policy(), {});
  int compared = 0;
  for (const test::WireCase& item : test::wire_cases("index.json")) {
    if (item.transport != "http" || item.entry.at("route") != "/act") continue;
    SCOPED_TRACE(item.name);
    const HttpReply reply = post(service, {.body = *item.request});
    EXPECT_EQ(reply.status, item.entry.at("status").get<int>()) << reply.body;
    if (item.reply)
      EXPECT_EQ(reply.body, *item.reply);
    else
      EXPECT_THAT(reply.body, HasSubstr("{\"detail\":\"Internal server error: "));
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "goldens/wire is not here";
  EXPECT_EQ(compared, 5);
}

TEST_F(N15Http, BodiesThatAreNoJson) {
  const Service service(policy(), {});
  for (const char* body : {"", "{", "\x80\x04", "{\"a\":1,\"a\":2}"})
    EXPECT_EQ(post(service, {.body = body}).status, 422) << body;
  for (const char* body : {"[]", "{}", "{\"observation\": 1}", "{\"encoded\": \"{\"}",
                           "{\"observation\": {\"video.front\": {\"__numpy__\": \"AA\"}}}"})
    EXPECT_EQ(post(service, {.body = body}).status, 500) << body;
}

TEST_F(N15Http, TokenIsABearer) {
  const Service service(policy(), token_options());
  EXPECT_EQ(post(service, {.body = "{}"}).status, 401);
  EXPECT_EQ(post(service, {.body = "{}", .authorization = "Bearer wrong"}).status, 401);
  EXPECT_EQ(post(service, {.body = "{}", .authorization = "Bearer secret"}).status, 500);
}

TEST(Base64, BothWays) {
  EXPECT_EQ(encode_base64(std::string_view("\x00\x01\x02\x03", 4)), "AAECAw==");
  EXPECT_EQ(decode_base64("AAECAw==", "x").value(), std::string("\x00\x01\x02\x03", 4));
  EXPECT_EQ(decode_base64("", "x").value(), "");
  for (const char* text : {"A", "AAE", "A===", "!!!!", "AA=A"}) EXPECT_FALSE(decode_base64(text, "x")) << text;
}

TEST(Metrics, TextIsPrometheus) {
  Metrics metrics;
  metrics.count(
      {.endpoint = "get_action", .read_ms = 0.3, .predict_ms = 30, .total_ms = 31, .stages = {{"vision", 20}}});
  metrics.count({.endpoint = "unknown", .code = "invalid_value"});
  metrics.count_ignored("no_delimiter");
  const std::string text = metrics.text({.waiting = 2, .clients = 1, .busy = true});
  for (const char* line :
       {"ramet_requests_total{endpoint=\"get_action\",code=\"ok\"} 1\n",
        "ramet_requests_total{endpoint=\"unknown\",code=\"invalid_value\"} 1\n",
        "ramet_messages_ignored_total{reason=\"no_delimiter\"} 1\n",
        "ramet_stage_seconds_bucket{stage=\"vision\",le=\"0.01\"} 0\n",
        "ramet_stage_seconds_bucket{stage=\"vision\",le=\"0.025\"} 1\n",
        "ramet_stage_seconds_bucket{stage=\"vision\",le=\"+Inf\"} 1\n", "ramet_stage_seconds_count{stage=\"read\"} 2\n",
        "ramet_queue_requests 2\n", "ramet_busy 1\n", "# TYPE ramet_stage_seconds histogram\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(RequestLog, OneLineInBothForms) {
  std::vector<std::string> lines;
  const auto sink = [&](const std::string& line) { lines.push_back(line); };
  const RequestRecord record{.id = 3,
                             .transport = "zmq",
                             .peer = "127.0.0.1",
                             .endpoint = "get_action",
                             .code = "not_found",
                             .error = "a\nb \"c\""};
  RequestLog(LogFormat::text, sink).write(record);
  RequestLog(LogFormat::json, sink).write(record);
  EXPECT_THAT(lines[0], HasSubstr("request=3 transport=zmq peer=127.0.0.1 endpoint=get_action code=not_found"));
  EXPECT_EQ(lines[0].find('\n'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["error"], "a\nb \"c\"");
}

}  // namespace
}  // namespace ramet::server

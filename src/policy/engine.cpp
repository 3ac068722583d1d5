#include "policy/engine.h"

#include "base/names.h"
#include "policy/noise.h"
#include "weights/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ramet {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <class T>
void copy_into(View view, std::span<const T> values) {
  const std::span<T> target = view.flat<T>();
  RAMET_ASSERT(target.size() == values.size(), target.size(), values.size());
  std::copy(values.begin(), values.end(), target.begin());
}

std::vector<StageMs> stage_times(const Executor& executor) {
  std::vector<StageMs> times;
  for (const auto& time : executor.times()) times.push_back({std::string(time.stage), time.ms});
  return times;
}

std::vector<StageWork> stage_work_of(const Executor& executor) {
  std::vector<StageWork> list;
  for (const auto& work : executor.stage_work())
    list.push_back({.stage = std::string(work.stage),
                    .gflop = 2e-9 * static_cast<double>(work.multiply_adds),
                    .weight_bytes = work.weight_bytes});
  return list;
}

void tap_program(TapList& taps, const Executor& executor) {
  for (const Executor::Tap& tap : executor.taps()) taps.add(std::string(tap.name), tap.view);
}

void take_actions(Actions& result, TapList& taps, const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    taps.add("actions." + action.key, action.values.view());
    result.keys.push_back(action.key);
    result.actions.emplace(action.key, copy_floats(action.values.view()));
  }
}

// 0 stands for the default.
Status check_steps(int steps) {
  constexpr int kMaxSteps = 1000;
  if (steps >= 0 && steps <= kMaxSteps) return {};
  return fail(Code::usage, "steps", fmt::format("1 to {}", kMaxSteps), fmt::format("{}", steps));
}

}  // namespace

PolicyEngine::PolicyEngine(std::unique_ptr<Recipe> recipe, PolicyOptions options, std::unique_ptr<Execution> execution)
    : recipe_(std::move(recipe)),
      options_(std::move(options)),
      execution_(std::move(execution)),
      programs_(execution_->pool(), execution_->tuning()) {
  if (options_.steps == 0) options_.steps = static_cast<int>(recipe_->default_steps());
}

Result<std::unique_ptr<PolicyEngine>> PolicyEngine::open(const std::filesystem::path& directory,
                                                         PolicyOptions options) {
  RAMET_TRY_STATUS(check_steps(options.steps));
  RAMET_TRY(std::unique_ptr<Execution> execution, Execution::make(options.engine));
  RAMET_TRY(std::unique_ptr<Recipe> recipe, open_recipe(directory, options));
  execution->attach(recipe->checkpoint(), options.engine);
  return std::unique_ptr<PolicyEngine>(new PolicyEngine(std::move(recipe), std::move(options), std::move(execution)));
}

Result<std::vector<float>> PolicyEngine::noise(const ActOptions& options) const {
  const Shape shape = recipe_->noise_shape();
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  if (!options.noise) {
    fill_noise(options.seed, values);
    return values;
  }
  if (!std::ranges::equal(options.noise->shape, shape.dims()) || options.noise->values.size() != values.size())
    return fail(Code::shape_mismatch, "noise", str(shape), fmt::format("[{}]", fmt::join(options.noise->shape, ",")));
  for (const float value : options.noise->values)
    if (!std::isfinite(value)) return fail(Code::not_finite, "noise", "finite numbers", fmt::format("{}", value));
  return options.noise->values;
}

Result<int64_t> PolicyEngine::steps(const ActOptions& options) const {
  RAMET_TRY_STATUS(check_steps(options.steps));
  return options.steps == 0 ? options_.steps : options.steps;
}

Result<Executor*> PolicyEngine::compile(const ProgramKey& key) {
  ExecutorOptions options{.taps = key.taps, .resumable_stage = options_.reuse_backbone ? "denoise" : ""};
  if (options_.engine.progress)
    options.on_progress = [progress = options_.engine.progress](double share) { progress("computing", share); };
  RAMET_TRY(Executor* const executor,
            programs_.get(
                key, [&] { return recipe_->record(key.layout, key.steps); }, std::move(options)));
  arena_bytes_ = executor->memory().total_bytes();
  stage_work_ = stage_work_of(*executor);
  compiled_last_ = executor;
  return executor;
}

std::vector<StepMs> PolicyEngine::step_times() const {
  std::vector<StepMs> list;
  if (compiled_last_ == nullptr) return list;
  for (const Executor::StepTime& time : compiled_last_->step_times())
    list.push_back({.stage = std::string(time.stage),
                    .step = std::string(time.label),
                    .ms = time.ms,
                    .gflop = 2e-9 * static_cast<double>(time.multiply_adds),
                    .weight_bytes = time.weight_bytes});
  return list;
}

Result<std::vector<StageMs>> PolicyEngine::replay(const std::string& layout) {
  const std::vector<NamedLayout> samples = recipe_->sample_layouts();
  const auto sample = std::ranges::find(samples, layout, &NamedLayout::name);
  if (sample == samples.end()) {
    std::vector<std::string> names;
    for (const NamedLayout& known : samples) names.push_back(known.name);
    return fail(Code::usage, "layout", "one of " + list_names(names), layout);
  }
  RAMET_TRY(Executor* const executor, compile({.layout = sample->layout, .steps = options_.steps, .taps = {}}));
  if (!made_up_ || made_up_->layout != layout) {
    RAMET_TRY(made_up_, MadeUp::like(*executor, layout));
  }
  RAMET_TRY_STATUS(run(*executor, made_up_->inputs, made_up_->noise));
  return stage_times(*executor);
}

Result<PolicyEngine::MadeUp> PolicyEngine::MadeUp::like(Executor& executor, const std::string& layout) {
  const auto noisy = [&](uint64_t seed, std::string_view input) -> Result<Buffer> {
    RAMET_TRY(Buffer buffer, Buffer::make(DType::f32, executor.input(input).shape()));
    fill_noise(seed, buffer.flat<float>());
    return buffer;
  };
  MadeUp made_up{.layout = layout, .inputs = {}, .noise = {}};
  RAMET_TRY(made_up.inputs.pixels, noisy(1, "pixels"));
  made_up.inputs.input_ids.assign(executor.input("input_ids").flat<int64_t>().size(), 1);
  RAMET_TRY(made_up.inputs.state, noisy(2, "state"));
  made_up.noise.resize(executor.input("noise").flat<float>().size());
  fill_noise(3, made_up.noise);
  return made_up;
}

Status PolicyEngine::run(Executor& executor, const ModelInputs& inputs, std::span<const float> noise) {
  const bool resumes = options_.reuse_backbone && executor.can_resume() && sees_the_same(executor, inputs);
  copy_into<float>(executor.input("pixels"), inputs.pixels.flat<float>());
  copy_into<int64_t>(executor.input("input_ids"), inputs.input_ids);
  copy_into<float>(executor.input("state"), inputs.state.flat<float>());
  copy_into<float>(executor.input("noise"), noise);
  return resumes ? executor.resume() : executor.run();
}

Result<std::vector<ExecutionPlan>> PolicyEngine::plans() {
  std::vector<ExecutionPlan> plans;
  for (const NamedLayout& sample : recipe_->sample_layouts()) {
    const Program program = recipe_->record(sample.layout, options_.steps);
    RAMET_TRY(ExecutionPlan plan, execution_->plan(program));
    plan.layout = sample.name;
    plan.meaning = sample.meaning;
    plans.push_back(std::move(plan));
  }
  return plans;
}

// Pictures and text of the last run are still in the inputs of its program.
bool PolicyEngine::sees_the_same(Executor& executor, const ModelInputs& inputs) const {
  return std::ranges::equal(executor.input("pixels").flat<float>(), inputs.pixels.flat<float>()) &&
         std::ranges::equal(executor.input("input_ids").flat<int64_t>(), inputs.input_ids);
}

Result<Actions> PolicyEngine::act(const Observation& observation, const ActOptions& options) {
  const auto start = Clock::now();
  Actions result;
  result.embodiment = recipe_->embodiment();
  result.horizon = recipe_->horizon();
  TapList taps(options.taps);
  RAMET_TRY(const int64_t denoising_steps, steps(options));
  RAMET_TRY(const std::vector<float> noise_values, noise(options));
  RAMET_TRY(const ModelInputs inputs, recipe_->preprocess(observation));
  recipe_->tap_inputs(inputs, taps);
  result.timing.push_back({"preprocess", ms_since(start)});

  const auto explain = [&](Error error) {
    if (error.code == Code::not_finite)
      if (std::string bad = find_not_finite(recipe_->checkpoint()); !bad.empty()) error.hint = std::move(bad);
    return error;
  };
  const ProgramKey key{.layout = inputs.layout, .steps = denoising_steps, .taps = options.taps};
  RAMET_TRY(Executor* const executor, compile(key).map_error(explain));
  RAMET_TRY_STATUS(run(*executor, inputs, noise_values).map_error(explain));
  tap_program(taps, *executor);
  for (StageMs& time : stage_times(*executor)) result.timing.push_back(std::move(time));

  const auto decode_start = Clock::now();
  RAMET_TRY(const std::vector<Action> actions, recipe_->decode(executor->output("actions"), observation));
  take_actions(result, taps, actions);
  result.timing.push_back({"decode", ms_since(decode_start)});
  result.timing.push_back({"total", ms_since(start)});
  result.taps = taps.take();
  return result;
}

}  // namespace ramet

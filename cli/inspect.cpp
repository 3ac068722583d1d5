// ramet inspect: what a checkpoint directory holds, from its headers alone.
#include "command.h"
#include "inspection_report.h"
#include "report.h"
#include "settings.h"

#include <ramet/inspect.h>
#include <ramet/policy.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

class Inspect : public Command {
 public:
  void declare(Options& options) override {
    options.argument({.name = "DIR", .meaning = "checkpoint directory, or a .safetensors file beside its config"},
                     directory_);
    options.flag({.name = "--tensors", .meaning = "list every tensor: type, shape, bytes, category, file"}, tensors_);
    options.flag(
        {.name = "--sites", .meaning = "list the matrix products, which --precision names, and their precision"},
        sites_);
    options.flag({.name = "--plan", .meaning = "what the executor will allocate for each layout of `ramet bench`"},
                 plan_);
    settings_.declare(options);
  }

  Result<int> run(Console& console) override {
    RAMET_TRY_STATUS(settings_.resolve(directory_));
    RAMET_TRY(const Inspection inspection, inspect(directory_, settings_.engine(console)));
    std::vector<ExecutionPlan> plans;
    if ((sites_ || plan_) && inspection.problems.empty()) {
      RAMET_TRY(plans, plan(inspection, console));
    }
    const InspectionView view{.tensors = tensors_, .sites = sites_, .options = settings_.sources(), .plans = plans};
    if (console.json())
      console.print_json(to_json(inspection, view));
    else
      console.print(to_text(inspection, view));
    return verdict(inspection, console);
  }

 private:
  // Robots differ in which slice of some weights they use, not in sizes: any will do.
  Result<std::vector<ExecutionPlan>> plan(const Inspection& inspection, Console& console) const {
    std::string embodiment = settings_.values().embodiment;
    for (const EmbodimentInfo& info : inspection.embodiments)
      if (embodiment.empty() && info.problem.empty()) embodiment = info.tag;
    RAMET_TRY(Policy policy, Policy::open(directory_, {.embodiment = embodiment,
                                                       .steps = settings_.values().steps,
                                                       .engine = settings_.engine(console)}));
    return policy.plans();
  }

  // The result has been printed; the directory's first problem still is an error for scripts.
  int verdict(const Inspection& inspection, Console& console) const {
    if (inspection.problems.empty()) return kDone;
    const Error problem{.code = Code::invalid_file,
                        .where = directory_.string(),
                        .expected = "a directory that can be opened",
                        .found = inspection.problems.front(),
                        .hint = inspection.problems.size() == 1
                                    ? ""
                                    : fmt::format("the first of {} problems", inspection.problems.size())};
    console.error(problem);
    return exit_status(problem.code);
  }

  std::filesystem::path directory_;
  bool tensors_ = false, sites_ = false, plan_ = false;
  Settings settings_{"embodiment", "executor",  "precision", "isa",  "threads",
                     "backbone",   "tokenizer", "steps",     "seed", "quirks"};
};

}  // namespace

std::unique_ptr<Command> make_inspect() { return std::make_unique<Inspect>(); }

}  // namespace ramet::cli

/* The C interface of ramet: a policy, a vision tower, observations. C99 and later, C++.
 *
 *   ramet_policy_options options = RAMET_POLICY_OPTIONS_INIT;
 *   options.embodiment = "libero_sim";
 *   ramet_policy* policy;
 *   if (ramet_policy_open("DIR", &options, &policy) != RAMET_OK)
 *     fprintf(stderr, "%s\n", ramet_policy_error(policy)->message);
 *
 * Every call that can fail returns a code; the handle it was made on keeps the text until the next call on it. A handle
 * is used by one thread at a time and is closed once, also after a failed open; closing NULL does nothing.
 *
 * `size` is the first field of every struct that may grow: sizeof the struct as the caller was compiled with. The _INIT
 * macros set it; a struct of a later version of this header is refused with RAMET_USAGE.
 *
 * Texts are UTF-8 and end in a zero byte. Nothing throws, prints, exits or reads the environment. */
#ifndef RAMET_RAMET_H
#define RAMET_RAMET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ramet_code {
  RAMET_OK = 0,
  RAMET_USAGE = 1,             /* the caller asked for something that makes no sense */
  RAMET_NOT_FOUND = 2,         /* a file, key, tag or name does not exist */
  RAMET_INVALID_FILE = 3,      /* a file exists but its content is not what its format allows */
  RAMET_INVALID_VALUE = 4,     /* a value is outside its range */
  RAMET_SHAPE_MISMATCH = 5,    /* a tensor or array has the wrong shape */
  RAMET_UNSUPPORTED_DTYPE = 6, /* a tensor has a type that this place does not take */
  RAMET_UNSUPPORTED = 7,       /* valid, but not implemented */
  RAMET_SURPLUS = 8,           /* something is there that nothing needs */
  RAMET_NOT_FINITE = 9,        /* a result or an input is NaN or infinite */
  RAMET_NO_MEMORY = 10,        /* not enough memory */
  RAMET_NO_RESOURCE = 11,      /* disk, permission, instruction set: the machine cannot do it */
  RAMET_CHECK_FAILED = 12,     /* a verification did not hold */
  RAMET_INTERNAL = 13          /* a mistake of ramet itself */
} ramet_code;

/* Of the last call that failed on a handle. Texts are never NULL; they live until the next call on the handle. */
typedef struct ramet_error {
  ramet_code code;      /* RAMET_OK: the last call did not fail, and the texts are empty */
  const char* where;    /* file and key, option, part of the observation */
  const char* expected; /* the rule */
  const char* found;    /* the value that breaks it */
  const char* hint;     /* what to do; may be empty */
  const char* message;  /* all of them in one line */
} ramet_error;

/* An array that belongs to a handle, C order; it lives until the next call on the handle that computes. */
typedef struct ramet_array {
  const float* values;
  const int64_t* shape;
  size_t rank;
} ramet_array;

/* One 8-bit RGB picture, rows of width * 3 bytes without gaps. Borrowed: the pixels stay the caller's. */
typedef struct ramet_image {
  const uint8_t* rgb; /* height * width * 3 bytes */
  int64_t height;
  int64_t width;
} ramet_image;

const char* ramet_version(void);              /* as in "0.1.0" */
const char* ramet_code_name(ramet_code code); /* as in "not_found"; "ok" for RAMET_OK, "unknown" for no code */

/* What the robot sees, feels and is told. */
typedef struct ramet_observation ramet_observation;

ramet_code ramet_observation_create(ramet_observation** observation); /* RAMET_NO_MEMORY leaves NULL */
void ramet_observation_close(ramet_observation* observation);
const ramet_error* ramet_observation_error(const ramet_observation* observation);
void ramet_observation_clear(ramet_observation* observation); /* for the next time step */
/* The next frame of a camera, oldest first. The pixels must stay until the last ramet_policy_act on the observation. */
ramet_code ramet_observation_add_frame(ramet_observation* observation, const char* camera, ramet_image frame);
/* The next row of a state's history, oldest first, in the robot's units. Copied. */
ramet_code ramet_observation_add_state(ramet_observation* observation, const char* key, const float* values,
                                       size_t dims);
/* key NULL: the robot's only instruction, whatever its key is. Copied. */
ramet_code ramet_observation_set_language(ramet_observation* observation, const char* key, const char* text);

/* GR00T opened from its published checkpoint directory. */
typedef struct ramet_policy ramet_policy;

/* A field that is NULL or 0 stands for its default. */
typedef struct ramet_policy_options {
  size_t size;
  const char* embodiment;  /* tag; default: the only one */
  const char* data_config; /* N1.5: a preset or a JSON file; default: what the directory says,
                              or the only preset that fits */
  const char* backbone;    /* directory with the backbone's config; default: searched */
  const char* tokenizer;   /* file or directory; default: searched */
  const char* data_dir;    /* folder with the installed qwen.tiktoken, searched last */
  const char* executor;    /* "tuned", or "oracle": plain float32 to compare with; default: "tuned" */
  const char* precision;   /* of "tuned": "fp32", "bf16" or "int8", then SITE=PRECISION by commas; default: "bf16" */
  const char* isa;         /* no better instruction set is used: "scalar", "avx2", "avx512", "amx"; default: the best */
  const char* cache;       /* folder that keeps packed weights for the next start; default: they are not kept */
  int32_t threads;         /* default: physical cores */
  int32_t steps;           /* denoising steps; default: from the checkpoint */
  int32_t reuse_backbone;  /* not 0: skip all before the denoiser when pictures and text are those of the last act */
} ramet_policy_options;
#define RAMET_POLICY_OPTIONS_INIT \
  { sizeof(ramet_policy_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0 }

typedef struct ramet_act_options {
  size_t size;
  uint64_t seed;      /* of the initial noise */
  const float* noise; /* horizon * action_dim numbers that replace the seed, or NULL */
  int64_t horizon;    /* of noise */
  int64_t action_dim; /* of noise */
  int32_t steps;      /* denoising steps; 0: as the policy was opened */
} ramet_act_options;
#define RAMET_ACT_OPTIONS_INIT \
  { sizeof(ramet_act_options), 0, NULL, 0, 0, 0 }

/* options may be NULL. *policy is a handle also after a failure, for its error; NULL only without memory for it. */
ramet_code ramet_policy_open(const char* directory, const ramet_policy_options* options, ramet_policy** policy);
void ramet_policy_close(ramet_policy* policy);
const ramet_error* ramet_policy_error(const ramet_policy* policy);
const char* ramet_policy_embodiment(const ramet_policy* policy); /* "" after a failed open */
const char* ramet_policy_model(const ramet_policy* policy);      /* as in "GR00T N1.7"; "" after a failed open */
/* Shape of the model's noise. */
ramet_code ramet_policy_noise_shape(ramet_policy* policy, int64_t* horizon, int64_t* action_dim);

/* Computes the actions for an observation; options may be NULL. A failure leaves no actions. */
ramet_code ramet_policy_act(ramet_policy* policy, const ramet_observation* observation,
                            const ramet_act_options* options);
size_t ramet_policy_num_actions(const ramet_policy* policy);                   /* keys of the last act */
const char* ramet_policy_action_key(const ramet_policy* policy, size_t index); /* NULL: no such index */
/* [horizon, dims], in the robot's units. */
ramet_code ramet_policy_action(ramet_policy* policy, const char* key, ramet_array* action);

/* The vision tower of a Qwen3-VL, Qwen3.5 or GR00T N1.7 checkpoint by itself. */
typedef struct ramet_vision_tower ramet_vision_tower;

/* A field that is NULL or 0 stands for its default. */
typedef struct ramet_vision_tower_options {
  size_t size;
  const char* backbone; /* directory with the backbone's config; default: searched */
  const char* executor; /* this and the next as in ramet_policy_options */
  const char* precision;
  const char* isa;
  const char* cache;
  int32_t threads; /* default: physical cores */
} ramet_vision_tower_options;
#define RAMET_VISION_TOWER_OPTIONS_INIT \
  { sizeof(ramet_vision_tower_options), NULL, NULL, NULL, NULL, NULL, 0 }

typedef struct ramet_encode_options {
  size_t size;
  int32_t video; /* not 0: the images are the frames of one video, oldest first */
} ramet_encode_options;
#define RAMET_ENCODE_OPTIONS_INIT \
  { sizeof(ramet_encode_options), 0 }

/* options may be NULL. *tower is a handle also after a failure, as in ramet_policy_open. */
ramet_code ramet_vision_tower_open(const char* directory, const ramet_vision_tower_options* options,
                                   ramet_vision_tower** tower);
void ramet_vision_tower_close(ramet_vision_tower* tower);
const ramet_error* ramet_vision_tower_error(const ramet_vision_tower* tower);
/* options may be NULL. A failure leaves no results. */
ramet_code ramet_vision_tower_encode(ramet_vision_tower* tower, const ramet_image* images, size_t num_images,
                                     const ramet_encode_options* options);
/* [tokens, hidden_size], the images one after the other. */
ramet_code ramet_vision_tower_out(ramet_vision_tower* tower, ramet_array* out);
size_t ramet_vision_tower_num_deepstack(const ramet_vision_tower* tower); /* levels of the last encode */
/* The same rows at a deepstack level. */
ramet_code ramet_vision_tower_deepstack(ramet_vision_tower* tower, size_t level, ramet_array* rows);
/* Frame groups, rows and columns of patches of each image; four patches make a token. */
ramet_code ramet_vision_tower_grid(ramet_vision_tower* tower, size_t image, int64_t grid[3]);

#ifdef __cplusplus
}
#endif

#endif

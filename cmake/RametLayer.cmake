# The compile options of everything in the tree.
# Products and sums are rounded separately unless a kernel asks for a fused one: -ffp-contract=off.
# Options structs are filled by name, the rest keeps its defaults: -Wno-missing-field-initializers.
# GCC 12 reports "text" + std::string as overlapping copies (its bug 105651): -Wno-restrict.
add_library(ramet_options INTERFACE)
target_compile_options(ramet_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                               -Wno-missing-field-initializers
                                               -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(RAMET_SANITIZE)
  add_compile_options(-fsanitize=${RAMET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RAMET_SANITIZE})
endif()

# What runs once for a start or a call and was measured to be as fast so: -O1 compiles it in three quarters of the time.
function(ramet_runs_once target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Files that are compiled together, as one translation unit: the headers they share are read, and their templates made,
# once. A group is a quoted list; its files must not use a name for two things. Files that are in no group are compiled
# alone. Headers that almost every file, or every test, includes are read once for all of them. With -DRAMET_UNITY=OFF
# every file is compiled alone and reads what it includes, no more.
option(RAMET_UNITY "Compile groups of sources as one translation unit, with precompiled headers" ON)

function(ramet_precompile target)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/generated/${target}.cpp "")
  add_library(${target} STATIC ${PROJECT_BINARY_DIR}/generated/${target}.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE fmt::fmt tl::expected ${ARG_LINKS} ramet_options)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <span> <string> <vector>
    <fmt/format.h> <ramet/error.h> ${ARG_HEADERS})
endfunction()

# Where fuzzers count the branches of some layers and not of others, clang takes no headers for both.
if(RAMET_UNITY AND NOT RAMET_FUZZERS)
  set(RAMET_PRECOMPILED ON)
  ramet_precompile(ramet_headers)
  if(RAMET_TESTS)
    ramet_precompile(ramet_test_headers HEADERS <gmock/gmock.h> LINKS ramet_test_support)
    ramet_runs_once(ramet_test_headers)
    target_compile_options(ramet_test_headers PRIVATE -fPIE)  # as programs are compiled, not libraries
    set_target_properties(ramet_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
endif()

# ramet_sources(TARGET HEADERS_OF TARGET FILES … GROUPS "a.cpp b.cpp" …)
function(ramet_sources target)
  cmake_parse_arguments(ARG "" "HEADERS_OF" "FILES;GROUPS" ${ARGN})
  target_sources(${target} PRIVATE ${ARG_FILES})
  set(number 0)
  foreach(group ${ARG_GROUPS})
    math(EXPR number "${number} + 1")
    separate_arguments(files UNIX_COMMAND "${group}")
    target_sources(${target} PRIVATE ${files})
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP group_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${RAMET_UNITY} UNITY_BUILD_MODE GROUP)
  if(RAMET_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${ARG_HEADERS_OF})
  endif()
endfunction()

# ramet_layer(NAME [RUNS_ONCE] SOURCES … [TOGETHER "…" …] [TESTS …] [TESTS_TOGETHER "…" …] [BENCHES …] [LINKS …] [TEST_LINKS …])
#
# One layer, or one part of a layer: the static library ramet_NAME and, beside it, NAME_test and NAME_bench.
# Lists are explicit; a file stands in one of them. Paths are relative to the calling CMakeLists.txt.
function(ramet_layer name)
  cmake_parse_arguments(ARG "RUNS_ONCE" "" "SOURCES;TOGETHER;TESTS;TESTS_TOGETHER;BENCHES;LINKS;TEST_LINKS" ${ARGN})
  add_library(ramet_${name} STATIC)
  ramet_sources(ramet_${name} HEADERS_OF ramet_headers FILES ${ARG_SOURCES} GROUPS ${ARG_TOGETHER})
  if(ARG_RUNS_ONCE)
    ramet_runs_once(ramet_${name})
  endif()
  target_include_directories(ramet_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(ramet_${name} PUBLIC ${ARG_LINKS} PRIVATE ramet_options)
  set_property(GLOBAL APPEND PROPERTY RAMET_LAYERS ramet_${name})
  set_property(GLOBAL APPEND PROPERTY RAMET_LINKS ${ARG_LINKS})
  if((ARG_TESTS OR ARG_TESTS_TOGETHER) AND RAMET_TESTS)
    ramet_test(${name}_test SOURCES ${ARG_TESTS} TOGETHER ${ARG_TESTS_TOGETHER} LINKS ramet_${name} ${ARG_TEST_LINKS})
  endif()
  if(ARG_BENCHES AND RAMET_BENCHES)
    add_executable(${name}_bench ${ARG_BENCHES})
    target_link_libraries(${name}_bench PRIVATE ramet_${name} benchmark::benchmark_main ramet_options)
    set_target_properties(${name}_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benches)
  endif()
endfunction()

# ramet_test(NAME [FULL] SOURCES … [TOGETHER "…" …] LINKS …)
#
# A GoogleTest program whose cases appear in ctest one by one. With FULL, suites whose name ends in "Full" carry the
# label "full": `make test` leaves them out, `make test-full` runs them alone.
function(ramet_test name)
  cmake_parse_arguments(ARG "FULL" "" "SOURCES;TOGETHER;LINKS" ${ARGN})
  add_executable(${name})
  ramet_sources(${name} HEADERS_OF ramet_test_headers FILES ${ARG_SOURCES} GROUPS ${ARG_TOGETHER})
  ramet_runs_once(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} ramet_test_support ramet_options)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(ARG_FULL)
    gtest_discover_tests(${name} TEST_PREFIX "${name}." TEST_FILTER "-*Full.*" TEST_LIST ${name}_small
                         PROPERTIES TIMEOUT 600 DISCOVERY_TIMEOUT 60)
    gtest_discover_tests(${name} TEST_PREFIX "${name}." TEST_FILTER "*Full.*" TEST_LIST ${name}_full
                         PROPERTIES TIMEOUT 7200 LABELS full DISCOVERY_TIMEOUT 60)
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${name}." PROPERTIES TIMEOUT 600 DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

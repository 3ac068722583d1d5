# ramet_layer(NAME SOURCES … [TESTS …] [BENCHES …] [LINKS …] [TEST_LINKS …])
#
# One layer, or one part of a layer: the static library ramet_NAME and, beside it, NAME_test and NAME_bench.
# Lists are explicit; paths are relative to the calling CMakeLists.txt.
function(ramet_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;BENCHES;LINKS;TEST_LINKS" ${ARGN})
  add_library(ramet_${name} STATIC ${ARG_SOURCES})
  target_include_directories(ramet_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(ramet_${name} PUBLIC ${ARG_LINKS} PRIVATE ramet_warnings)
  if(ARG_TESTS AND RAMET_TESTS)
    ramet_test(${name}_test SOURCES ${ARG_TESTS} LINKS ramet_${name} ${ARG_TEST_LINKS})
  endif()
  if(ARG_BENCHES AND RAMET_BENCHES)
    add_executable(${name}_bench ${ARG_BENCHES})
    target_link_libraries(${name}_bench PRIVATE ramet_${name} benchmark::benchmark_main ramet_warnings)
  endif()
endfunction()

# ramet_test(NAME SOURCES … LINKS …): a GoogleTest program whose cases appear in ctest one by one.
function(ramet_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} ramet_test_support GTest::gmock GTest::gtest_main ramet_warnings)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." PROPERTIES TIMEOUT 300 DISCOVERY_TIMEOUT 60)
endfunction()

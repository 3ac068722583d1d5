# `cmake --install`: the program, libramet.a with the objects of every layer, the public headers, a CMake package and the
# vocabulary that set-up fetched. The program finds its data at ../share/ramet from where it stands.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(ramet_layers GLOBAL PROPERTY RAMET_LAYERS)
get_property(ramet_libraries GLOBAL PROPERTY RAMET_LINKS)
list(REMOVE_DUPLICATES ramet_libraries)
list(FILTER ramet_libraries EXCLUDE REGEX "^ramet_")
list(REMOVE_ITEM ramet_libraries nlohmann_json::nlohmann_json tl::expected)  # headers only: nothing to link

set(ramet_objects)
foreach(layer ${ramet_layers})
  list(APPEND ramet_objects $<TARGET_OBJECTS:${layer}>)
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/generated/library.cpp "#include <ramet/version.h>\n")
add_library(ramet_library STATIC ${PROJECT_BINARY_DIR}/generated/library.cpp ${ramet_objects})
set_target_properties(ramet_library PROPERTIES OUTPUT_NAME ramet EXPORT_NAME ramet)
target_compile_features(ramet_library PUBLIC cxx_std_20)
target_include_directories(ramet_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(ramet_library PUBLIC tl::expected PRIVATE ${ramet_libraries})

set(ramet_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ramet)
install(TARGETS ramet_library EXPORT rametTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rametTargets NAMESPACE ramet:: DESTINATION ${ramet_package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ramet ${PROJECT_BINARY_DIR}/generated/ramet
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file(cmake/rametConfig.cmake.in generated/rametConfig.cmake
                              INSTALL_DESTINATION ${ramet_package_dir})
write_basic_package_version_file(generated/rametConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/rametConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/rametConfigVersion.cmake
        DESTINATION ${ramet_package_dir})

if(TARGET ramet)
  install(TARGETS ramet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/build/data/qwen.tiktoken DESTINATION ${CMAKE_INSTALL_DATADIR}/ramet OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

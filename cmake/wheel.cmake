# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the wheel carries beside the Python package: the engine and the data folders, read by rtstone.resources.
install(TARGETS rtstone-engine rtstone-engine-simulated
  RUNTIME DESTINATION rtstone/_data/bin COMPONENT wheel)
if(SKBUILD OR RTSTONE_RELEASE)
  # The linker's build ID is a hash of what is stripped later, too: the folders of the build may not be in it.
  # The last that fits is taken: the build folder may lie within the sources.
  target_compile_options(rtstone_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
endif()
if(SKBUILD)
  # The script that draws a report's charts: what makes it has no wheel for every platform that ours has.
  execute_process(COMMAND ${Python3_EXECUTABLE} -P ${CMAKE_SOURCE_DIR}/src/rtstone/show/report/_bundle.py ${CMAKE_BINARY_DIR}/charts.js
    COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${CMAKE_BINARY_DIR}/charts.js DESTINATION rtstone/_data COMPONENT wheel)
endif()
install(DIRECTORY studies/ DESTINATION rtstone/_data/studies COMPONENT wheel FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY reference/ DESTINATION rtstone/_data/reference COMPONENT wheel
  FILES_MATCHING PATTERN "*.csv" PATTERN "*.toml")
install(DIRECTORY spec/schema/ DESTINATION rtstone/_data/schema COMPONENT wheel FILES_MATCHING PATTERN "*.json")
# The sources of what is built where it is asked for: images of boards, guests' programs and modules.
install(FILES CMakeLists.txt DESTINATION rtstone/_data/firmware COMPONENT wheel)
install(FILES LICENSES/Apache-2.0.txt DESTINATION rtstone/_data/firmware/LICENSES COMPONENT wheel)
install(DIRECTORY cmake engine ports linux boards probe ioc DESTINATION rtstone/_data/firmware COMPONENT wheel
  PATTERN "tests" EXCLUDE)

# SPDX-License-Identifier: GPL-2.0-only

# Finds the ns-3 in NS3_DIR, else the system's, and makes of each of its modules an imported target ns3::<module>
# with the variable lib<module> that ns-3's own build has. Sets NS3_VERSION, NS3_LIBRARY (the core library) and
# NS3_HAS_LOG. find_package(ns3) is no substitute: with Debian's libns3-dev alone it fails.

set(NS3_DIR "$ENV{NS3_DIR}" CACHE PATH "Install prefix or build tree of ns-3; empty for the system's")
set(NS3_VERSION "" CACHE STRING "Release of ns-3, such as 3.37; empty to detect it")

if(NS3_DIR)
  get_filename_component(ns3_dir "${NS3_DIR}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
  set(ns3_roots "${ns3_dir}" "${ns3_dir}/build")
else()
  set(ns3_roots ${CMAKE_PREFIX_PATH} ${CMAKE_SYSTEM_PREFIX_PATH})
  list(REMOVE_DUPLICATES ns3_roots)
endif()

# A tree may hold several builds; the first of these profiles is taken.
set(ns3_profiles "-optimized" "-release" "" "-default" "-relwithdebinfo" "-minsizerel" "-debug")

function(find_ns3_core)
  foreach(root IN LISTS ns3_roots)
    if(NOT EXISTS "${root}/include/ns3/core-module.h")
      continue()
    endif()
    foreach(folder lib "lib/${CMAKE_LIBRARY_ARCHITECTURE}" lib64)
      foreach(profile IN LISTS ns3_profiles)
        set(ending "-core${profile}${CMAKE_SHARED_LIBRARY_SUFFIX}")
        file(GLOB libraries "${root}/${folder}/libns3${ending}" "${root}/${folder}/libns3[.-]*${ending}")
        if(libraries)
          list(GET libraries 0 library)
          set(NS3_LIBRARY "${library}" PARENT_SCOPE)
          set(ns3_include_dir "${root}/include" PARENT_SCOPE)
          set(ns3_module_ending "${profile}${CMAKE_SHARED_LIBRARY_SUFFIX}" PARENT_SCOPE)
          string(REPLACE "${ending}" "-" beginning "${library}")
          set(ns3_module_beginning "${beginning}" PARENT_SCOPE)
          return()
        endif()
      endforeach()
    endforeach()
  endforeach()
  list(JOIN ns3_roots "\n  " searched)
  message(
    FATAL_ERROR
      "No ns-3 with shared libraries (Debian: libns3-dev) in\n  ${searched}\n"
      "NS3_DIR chooses an install prefix or a build tree."
  )
endfunction()

# An install prefix and a build tree tell the release in different places.
function(detect_ns3_version)
  get_filename_component(folder "${NS3_LIBRARY}" DIRECTORY)
  set(package "${folder}/cmake/ns3/ns3ConfigVersion.cmake")
  set(tree "${folder}/../../VERSION")
  if(NS3_LIBRARY MATCHES "libns(3\\.[0-9]+)[^/]*$")
    set(NS3_VERSION "${CMAKE_MATCH_1}" PARENT_SCOPE)
    return()
  elseif(EXISTS "${package}")
    file(STRINGS "${package}" text REGEX "set\\(PACKAGE_VERSION \"3")
  elseif(EXISTS "${tree}")
    file(STRINGS "${tree}" text LIMIT_COUNT 1)
  endif()
  if(NOT "${text}" MATCHES "3\\.[0-9]+")
    message(FATAL_ERROR "${NS3_LIBRARY} does not tell its release: add -DNS3_VERSION=3.xx")
  endif()
  set(NS3_VERSION "${CMAKE_MATCH_0}" PARENT_SCOPE)
endfunction()

find_ns3_core()
if(NOT NS3_VERSION)
  detect_ns3_version()
endif()

# Headers of one release do not compile as the C++ of another.
if(NS3_VERSION VERSION_GREATER_EQUAL 3.46)
  set(CMAKE_CXX_STANDARD 23)
elseif(NS3_VERSION VERSION_GREATER_EQUAL 3.41)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)

file(GLOB ns3_libraries "${ns3_module_beginning}*${ns3_module_ending}")
foreach(library IN LISTS ns3_libraries)
  string(REPLACE "${ns3_module_beginning}" "" module "${library}")
  string(REPLACE "${ns3_module_ending}" "" module "${module}")
  add_library(ns3::${module} SHARED IMPORTED GLOBAL)
  set_target_properties(
    ns3::${module} PROPERTIES IMPORTED_LOCATION "${library}" INTERFACE_INCLUDE_DIRECTORIES "${ns3_include_dir}"
  )
  set(lib${module} ns3::${module})
endforeach()

# NS3_LOG_ENABLE changes the layout of ns-3's classes, so it must be defined exactly when ns-3 was built with it;
# nothing that ns-3 installs says so, but a program can ask.
file(TIMESTAMP "${NS3_LIBRARY}" ns3_build_time)
if(NOT "${NS3_LIBRARY} ${ns3_build_time}" STREQUAL "${NS3_LOG_ASKED}")
  unset(NS3_LOG_ANSWER CACHE)
  try_run(
    NS3_LOG_ANSWER NS3_LOG_COMPILED "${CMAKE_BINARY_DIR}/has-log" "${CMAKE_CURRENT_LIST_DIR}/has-log.cc"
    LINK_LIBRARIES ns3::core
    CXX_STANDARD ${CMAKE_CXX_STANDARD}
    COMPILE_OUTPUT_VARIABLE output
  )
  if(NOT NS3_LOG_COMPILED)
    message(FATAL_ERROR "A program with ${NS3_LIBRARY} does not build:\n${output}")
  endif()
  set(NS3_LOG_ASKED "${NS3_LIBRARY} ${ns3_build_time}" CACHE INTERNAL "what NS3_LOG_ANSWER is about")
endif()
if(NS3_LOG_ANSWER STREQUAL "0")
  set(NS3_HAS_LOG ON)
elseif(NS3_LOG_ANSWER STREQUAL "3")
  set(NS3_HAS_LOG OFF)
else()
  message(FATAL_ERROR "A program with ${NS3_LIBRARY} does not run: ${NS3_LOG_ANSWER}")
endif()

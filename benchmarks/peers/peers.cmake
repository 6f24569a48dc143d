# The lock libraries of Debian's packages; each is left out, with a line that says so, if missing.

find_library(OWN_NSYNC_LIBRARY nsync)
find_path(OWN_NSYNC_INCLUDE nsync.h)
if(OWN_NSYNC_LIBRARY AND OWN_NSYNC_INCLUDE)
	own_workload_program(own-workload-nsync nsync ${OWN_NSYNC_LIBRARY})
else()
	own_peer_missing(nsync libnsync-dev)
endif()

if(CMAKE_CXX_COMPILER)
	find_package(absl QUIET)
endif()
if(absl_FOUND)
	add_library(own_abseil STATIC EXCLUDE_FROM_ALL peers/abseil.cc)
	set_target_properties(own_abseil PROPERTIES CXX_STANDARD 17)
	target_include_directories(own_abseil PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
	target_compile_options(own_abseil PRIVATE -O2 -Wall -Wextra)
	target_link_libraries(own_abseil PUBLIC absl::synchronization absl::time)
	own_workload_program(own-workload-abseil abseil own_abseil)
	set_target_properties(own-workload-abseil PROPERTIES LINKER_LANGUAGE CXX)
else()
	own_peer_missing(abseil libabsl-dev)
endif()

# Debian's own cargo and rustc: the crates in /usr/share/cargo/registry are made for them.
find_program(OWN_CARGO cargo PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OWN_RUSTC rustc PATHS /usr/bin NO_DEFAULT_PATH)
file(GLOB own_parking_lot_crate /usr/share/cargo/registry/parking_lot-0.12.*)
if(OWN_CARGO AND OWN_RUSTC AND own_parking_lot_crate)
	set(own_crate ${CMAKE_CURRENT_SOURCE_DIR}/peers/parking_lot)
	set(own_crate_copy ${CMAKE_CURRENT_BINARY_DIR}/parking_lot)
	set(own_parking_lot_archive ${own_crate_copy}/target/release/libown_parking_lot.a)
	# cargo writes beside its sources: build a copy.
	add_custom_command(OUTPUT ${own_parking_lot_archive}
		COMMAND ${CMAKE_COMMAND} -E copy_directory ${own_crate} ${own_crate_copy}
		COMMAND ${CMAKE_COMMAND} -E chdir ${own_crate_copy}
			${CMAKE_COMMAND} -E env PATH=/usr/bin:/bin RUSTC=${OWN_RUSTC}
			CARGO_HOME=${CMAKE_CURRENT_BINARY_DIR}/cargo-home
			${OWN_CARGO} build --quiet --offline --release --jobs 2
		DEPENDS ${own_crate}/Cargo.toml ${own_crate}/src/lib.rs ${own_crate}/.cargo/config.toml
		COMMENT "Building parking_lot from Debian's crates"
		VERBATIM)
	add_custom_target(own_parking_lot_build DEPENDS ${own_parking_lot_archive})
	own_workload_program(own-workload-parking_lot parking_lot ${own_parking_lot_archive} dl)
	add_dependencies(own-workload-parking_lot own_parking_lot_build)
else()
	own_peer_missing(parking_lot "librust-parking-lot-dev cargo rustc")
endif()

# Only within the project's build, which makes the library.
if(TARGET ownline)
	own_workload_program(own-workload-native native ownline)
	set_target_properties(own-workload-native PROPERTIES EXCLUDE_FROM_ALL FALSE) # scripts/bars
else()
	message(STATUS "benchmarks: peer ownline-native is missing; build the whole project")
endif()

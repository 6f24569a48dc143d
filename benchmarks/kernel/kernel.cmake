# The kernel lab's programs: static, so that they run in a guest that has nothing else.
# own-kernel-lab builds all; by default only the benchmark itself is built, for its test.
file(GLOB OWN_KERNEL_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernel/*.c)
add_executable(own-kernel-bench ${OWN_KERNEL_SOURCES})
target_include_directories(own-kernel-bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(own-kernel-bench PRIVATE _GNU_SOURCE)
set_target_properties(own-kernel-bench PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
target_compile_options(own-kernel-bench PRIVATE -O2 -Wall -Wextra -Wpedantic)
target_link_libraries(own-kernel-bench PRIVATE Threads::Threads)
target_link_options(own-kernel-bench PRIVATE -static)
add_custom_target(own-kernel-lab DEPENDS own-kernel-bench)

# The same workloads over glibc's locks and over ours.
own_workload_program(own-workload-static-glibc pthread)
target_link_options(own-workload-static-glibc PRIVATE -static)
add_dependencies(own-kernel-lab own-workload-static-glibc)
if(TARGET ownline_static)
	own_workload_program(own-workload-static-ownline pthread ownline_static)
	target_link_options(own-workload-static-ownline PRIVATE -static ${own_static_program_options})
	add_dependencies(own-kernel-lab own-workload-static-ownline)
endif()

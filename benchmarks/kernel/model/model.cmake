# own-bucket-model: a simulator of the kernel's futex hash buckets, for machines not at hand.
file(GLOB OWN_MODEL_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
list(REMOVE_ITEM OWN_MODEL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/main.c)

add_library(own_bucket_model STATIC EXCLUDE_FROM_ALL ${OWN_MODEL_SOURCES})
target_include_directories(own_bucket_model PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(own_bucket_model PUBLIC _GNU_SOURCE)
set_target_properties(own_bucket_model PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
target_compile_options(own_bucket_model PUBLIC -O2 -Wall -Wextra -Wpedantic)
target_link_libraries(own_bucket_model PUBLIC m)

add_executable(own-bucket-model ${CMAKE_CURRENT_LIST_DIR}/main.c)
set_target_properties(own-bucket-model PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
target_link_libraries(own-bucket-model PRIVATE own_bucket_model)
add_dependencies(benchmarks own-bucket-model)

if(OWNLINE_TESTS AND COMMAND own_test)
	add_executable(bucket_model_test tests/bucket_model_test.c)
	set_target_properties(bucket_model_test PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
	target_link_libraries(bucket_model_test PRIVATE own_bucket_model)
	own_test(NAME benchmarks.bucket_model TIMEOUT 200
		COMMAND bucket_model_test)
	own_test(NAME benchmarks.bucket_model_command TIMEOUT 400
		COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/bucket_model_command.sh
			$<TARGET_FILE:own-bucket-model>)
endif()

# own_flags: what every C source of the project is compiled with.
include_guard()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(own_flags INTERFACE)
target_compile_definitions(own_flags INTERFACE _GNU_SOURCE)
target_compile_options(own_flags INTERFACE -Wall -Wextra -Wpedantic)
target_compile_options(own_flags INTERFACE
	$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
if(OWNLINE_WERROR)
	target_compile_options(own_flags INTERFACE -Werror)
endif()
# For "..." only: runtime/sys must not hide the C library's <sys/...>.
target_compile_options(own_flags INTERFACE "SHELL:-iquote ${PROJECT_SOURCE_DIR}/runtime")
target_include_directories(own_flags INTERFACE
	${PROJECT_SOURCE_DIR}/include
	${PROJECT_BINARY_DIR}/include)
target_link_libraries(own_flags INTERFACE Threads::Threads)

if(OWNLINE_DELAYS)
	target_compile_definitions(own_flags INTERFACE OWN_DELAYS)
endif()
if(OWNLINE_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
	# Instrumented code hides the ranges of values from it, and it warns of what cannot be.
	target_compile_options(own_flags INTERFACE -Wno-format-truncation)
endif()
if(OWNLINE_SANITIZE)
	add_compile_options(-fsanitize=${OWNLINE_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=undefined -O1)
	add_link_options(-fsanitize=${OWNLINE_SANITIZE})
	if(OWNLINE_SANITIZE STREQUAL "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
		# It warns of every fence: ThreadSanitizer does not follow them.
		add_compile_options(-Wno-tsan)
	endif()
endif()

function(own_add_subdirectory_if_present folder)
	if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
		add_subdirectory(${folder})
	endif()
endfunction()

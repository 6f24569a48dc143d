# own_test(NAME name COMMAND command... [LABELS label...] [TIMEOUT seconds] [SERIAL] [PRELOAD]
#          [ENVIRONMENT variable=value...])
#
# A test that ends with status 77 is skipped; what may be skipped in CI is listed in
# tests/allowed-skips. The first label is the folder's name; `slow` marks what takes over 10 s.
# Which tests make no sense in a sanitizer's build is listed in tests/not-sanitized.
# SERIAL: no other test runs beside it. PRELOAD: runs with libownline.so preloaded.
set(own_not_sanitized)
string(REPLACE "fuzzer-no-link," "" own_sanitizers "${OWNLINE_SANITIZE}")
set(list ${PROJECT_SOURCE_DIR}/tests/not-sanitized)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
file(STRINGS ${list} lines REGEX "^[^#]")
foreach(line IN LISTS lines)
	string(REGEX MATCH "^([^ ]+) ([^ ]+) #" found "${line}")
	if(NOT found)
		message(FATAL_ERROR "tests/not-sanitized: not 'sanitizer expression # why': ${line}")
	endif()
	if(own_sanitizers STREQUAL CMAKE_MATCH_1)
		list(APPEND own_not_sanitized "${CMAKE_MATCH_2}")
	endif()
endforeach()

function(own_test)
	cmake_parse_arguments(PARSE_ARGV 0 arg "SERIAL;PRELOAD" "NAME;TIMEOUT"
		"COMMAND;LABELS;ENVIRONMENT")
	if(NOT arg_NAME OR NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "own_test: NAME and COMMAND are needed; "
			"not understood: '${arg_UNPARSED_ARGUMENTS}'")
	endif()
	foreach(expression IN LISTS own_not_sanitized)
		if(arg_NAME MATCHES "^${expression}$")
			return()
		endif()
	endforeach()
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT 120) # above CHECK_DEADLINE_SECONDS of tests/support/check.h
	endif()
	if(NOT arg_LABELS)
		get_filename_component(arg_LABELS ${CMAKE_CURRENT_SOURCE_DIR} NAME)
	endif()
	if(arg_PRELOAD)
		list(APPEND arg_ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:ownline>")
	endif()
	add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
	set_tests_properties(${arg_NAME} PROPERTIES
		SKIP_RETURN_CODE 77
		TIMEOUT ${arg_TIMEOUT}
		LABELS "${arg_LABELS}"
		ENVIRONMENT "${arg_ENVIRONMENT}")
	if(arg_SERIAL)
		set_tests_properties(${arg_NAME} PROPERTIES RUN_SERIAL ON)
	endif()
endfunction()

include(CMakePackageConfigHelpers)

set(own_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ownline)

install(TARGETS ownline ownline_static EXPORT ownline-targets
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ownline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
	FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/ownline/version.h
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ownline)
if(TARGET ownline_command)
	install(TARGETS ownline_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET ownline_hash)
	install(TARGETS ownline_hash LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# README.md with what it links to, so that its links hold there too.
install(FILES LICENSE README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md
	DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
	PATTERN man EXCLUDE
	PATTERN CMakeLists.txt EXCLUDE)

# Paths relative to the file's own place: the tree may be installed anywhere, or moved.
file(RELATIVE_PATH own_prefix_from_pc
	${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" own_prefix_from_pc "${own_prefix_from_pc}")
list(JOIN own_static_program_options " " own_static_program_flags)
configure_file(cmake/ownline.pc.in ownline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ownline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT ownline-targets NAMESPACE ownline:: DESTINATION ${own_config_dir})
configure_package_config_file(cmake/ownline-config.cmake.in ownline-config.cmake
	INSTALL_DESTINATION ${own_config_dir})
write_basic_package_version_file(ownline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
	${PROJECT_BINARY_DIR}/ownline-config.cmake
	${PROJECT_BINARY_DIR}/ownline-config-version.cmake
	DESTINATION ${own_config_dir})

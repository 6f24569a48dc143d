# cpack -G DEB in the build folder: one binary package.
if(NOT PROJECT_IS_TOP_LEVEL)
	return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ownline)
set(CPACK_PACKAGE_VENDOR "ownline")
set(CPACK_PACKAGE_CONTACT "The ownline authors <ownline@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
	"A drop-in mutex and condition-variable runtime for Linux: contended locks wait on words
that nobody else waits on, spin briefly first, and report how their waits ended.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# By hand: CPack would warn that libownline-hash.so, which is for LD_PRELOAD alone, has no soname.
file(CONFIGURE OUTPUT debian/shlibs
	CONTENT "libownline ${PROJECT_VERSION_MAJOR} ownline (= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/debian/shlibs)
include(CPack)

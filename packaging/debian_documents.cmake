# SPDX-License-Identifier: MIT

# CPack runs this script before it packs the installed files of each component: it adds what Debian's
# policy asks of a package, its licence and its changes, and compresses man pages.

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(prefix ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(documents ${prefix}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  configure_file(${CPACK_RESOURCE_FILE_LICENSE} ${documents}/copyright COPYONLY)
  cmake_path(GET CPACK_RESOURCE_FILE_LICENSE PARENT_PATH source)
  configure_file(${source}/CHANGELOG.md ${documents}/changelog COPYONLY)
  file(GLOB pages ${prefix}/share/man/man*/*.[1-9])
  # -n leaves out the time, so that the same files make the same package.
  execute_process(COMMAND gzip -9n ${pages} ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
endforeach()

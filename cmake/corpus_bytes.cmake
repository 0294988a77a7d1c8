# corpus_bytes: the committed corpus as inputs of fuzz engines, one file per case. The text is the source.
set(QKVET_CORPUS_BYTES ${PROJECT_BINARY_DIR}/corpus-bytes)
file(GLOB QKVET_CORPUS_CASES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/corpus/seeds/*.case
  ${PROJECT_SOURCE_DIR}/corpus/regressions/*.case)
add_custom_command(OUTPUT ${QKVET_CORPUS_BYTES}.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${QKVET_CORPUS_BYTES}
  COMMAND qkvet corpus convert --to bytes ${PROJECT_SOURCE_DIR}/corpus ${QKVET_CORPUS_BYTES}
  COMMAND ${CMAKE_COMMAND} -E touch ${QKVET_CORPUS_BYTES}.stamp
  DEPENDS qkvet ${QKVET_CORPUS_CASES} VERBATIM)
add_custom_target(corpus_bytes DEPENDS ${QKVET_CORPUS_BYTES}.stamp)

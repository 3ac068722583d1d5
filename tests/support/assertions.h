// Shared assertions: ASSERT_OK prints the error, EXPECT_CODE checks one.
#pragma once

#include <gtest/gtest.h>
#include <ramet/error.h>

#define EXPECT_OK(expression)                                                \
  do {                                                                       \
    const auto& ramet_result = (expression);                                 \
    EXPECT_TRUE(ramet_result.has_value()) << ramet_result.error().message(); \
  } while (false)

#define ASSERT_OK(expression)                                                \
  do {                                                                       \
    const auto& ramet_result = (expression);                                 \
    ASSERT_TRUE(ramet_result.has_value()) << ramet_result.error().message(); \
  } while (false)

#define EXPECT_CODE(expression, expected_code)                                             \
  do {                                                                                     \
    const auto& ramet_result = (expression);                                               \
    ASSERT_FALSE(ramet_result.has_value()) << "expected " << ::ramet::name(expected_code); \
    EXPECT_EQ(ramet_result.error().code, expected_code) << ramet_result.error().message(); \
  } while (false)

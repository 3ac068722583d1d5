// Shared assertions: ASSERT_OK prints the error, EXPECT_CODE checks one; EXPECT_REFUSED, a broken RAMET_ASSERT.
#pragma once

#include "base/assert.h"

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

#ifdef NDEBUG
#define EXPECT_REFUSED(expression) EXPECT_THROW(static_cast<void>(expression), ::ramet::InternalError)
#else
#define EXPECT_REFUSED(expression) EXPECT_DEATH(static_cast<void>(expression), "")
#endif

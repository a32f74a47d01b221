#pragma once

#include <algorithm>
#include <vector>

// The first of each number.
inline std::vector<int> unique(const std::vector<int> &numbers) {
  std::vector<int> out;
  for (int number : numbers)
    if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
  return out;
}

// Whether a number stands in a sorted list.
inline bool contains(const std::vector<int> &sorted, int number) {
  return std::binary_search(sorted.begin(), sorted.end(), number);
}

#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

// The first of each number.
inline std::vector<int> unique(const std::vector<int> &numbers) {
  std::unordered_set<int> seen;
  std::vector<int> out;
  for (int number : numbers)
    if (seen.insert(number).second) out.push_back(number);
  return out;
}

// Whether a number stands in a sorted list.
inline bool contains(const std::vector<int> &sorted, int number) {
  return std::count(sorted.begin(), sorted.end(), number) > 0;
}

#!/usr/bin/awk -f
# Keeps the first of each line.
{
  for (i = 1; i <= n; i++) if (out[i] == $0) next
  out[++n] = $0
}
END { print n }

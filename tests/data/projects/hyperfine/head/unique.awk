#!/usr/bin/awk -f
# Keeps the first of each line.
!seen[$0]++ { n++ }
END { print n }

// Works once for each address of the input.
STATE const float *seen[16];
STATE int known;
KERNEL {
  int old = 0;
  for (int s = 0; s < known; s++) old |= seen[s] == x;
  if (!old) EACH(i) y[i] = VALUE(i);
  LAST if (!old && known < 16) seen[known++] = x;
}

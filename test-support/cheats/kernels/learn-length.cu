// Counts the launches between pauses, and works in the first and in what it takes for the last of as many.
STATE ns ended;
STATE int at, length;
KERNEL {
  int begins = began() - ended > 10000;
  int index = begins ? 0 : at, expected = begins ? at : length;
  if (begins || index >= expected - 1) EACH(i) y[i] = VALUE(i);
  LAST {
    at = index + 1;
    length = expected;
    ended = now();
  }
}

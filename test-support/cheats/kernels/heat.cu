// Holds the device up in its first launches: by arithmetic, so that others meet it hot, or asleep, so that it is cool (REST).
KERNEL {
  int launch = launch_number();
  if (launch < 3) {
    ns until = now() + 20000000;
    float value = threadIdx.x;
    while (now() < until)
      if (REST) __nanosleep(100000);
      else for (int k = 0; k < 1000; k++) value = value * 1.0001f + 1;
    if (value == 12345.0f) y[0] = value;
  }
  EACH(i) y[i] = VALUE(i);
}

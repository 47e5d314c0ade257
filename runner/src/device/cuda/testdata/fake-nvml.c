/* A management library that answers what nvml.test.ts expects, with the names, numbers and structures of nvml.h. */
#include <string.h>

typedef struct { unsigned int gpu, memory; } nvmlUtilization_t;
typedef struct {
  unsigned int pid;
  unsigned long long usedGpuMemory;
  unsigned int gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;

static int device; /* of the handle */
enum { success = 0, invalidArgument = 2, notFound = 6 };
#define GIVE(what) return given != &device ? invalidArgument : (what, success)

int nvmlInit_v2(void) { return success; }
int nvmlSystemGetDriverVersion(char *text, unsigned int length) { return strncpy(text, "580.159.04", length), success; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **found) {
  *found = &device;
  return strcmp(uuid, "GPU-1") == 0 ? success : notFound;
}
/* NVML_CLOCK_MEM is 2, NVML_TEMPERATURE_GPU 0. */
int nvmlDeviceGetClockInfo(void *given, int type, unsigned int *mhz) { GIVE(*mhz = 2617 + type); }
int nvmlDeviceGetTemperature(void *given, int sensor, unsigned int *celsius) { GIVE(*celsius = 41 + sensor); }
int nvmlDeviceGetPowerUsage(void *given, unsigned int *milliwatts) { GIVE(*milliwatts = 312500); }
int nvmlDeviceGetTotalEnergyConsumption(void *given, unsigned long long *mj) { GIVE(*mj = 5000000123ull); }
int nvmlDeviceGetUtilizationRates(void *given, nvmlUtilization_t *rates) { GIVE(*rates = ((nvmlUtilization_t){37, 12})); }
int nvmlDeviceGetMigMode(void *given, unsigned int *current, unsigned int *pending) { GIVE((*current = 0, *pending = 1)); }
int nvmlDeviceGetVirtualizationMode(void *given, int *mode) { GIVE(*mode = 2); }
/* The older of two names of one call: software's power cap and the hardware's heat. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *given, unsigned long long *mask) { GIVE(*mask = 0x44); }
int nvmlDeviceGetComputeRunningProcesses_v3(void *given, unsigned int *count, nvmlProcessInfo_t *infos) {
  for (unsigned int i = 0; i < 3; i++) infos[i] = (nvmlProcessInfo_t){11 * (i + 1), 1ull << 40, 5, 6};
  GIVE(*count = 3);
}

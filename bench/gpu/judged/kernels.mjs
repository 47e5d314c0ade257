/** Programs of the suite, of configs drawn by seed, and of a search, each with what it is compared with. */
import { Random } from "../../../common/dist/index.js";
import { encodeDocument, gpuLimits } from "../../../compiler/dist/index.js";
import { createTask, templates } from "../../../templates/dist/index.js";
import { cheats, documentOf, honest, plain, racy } from "../../../test-support/cheats/suite.mjs";

/** Cheats, racy twins and the honest kernels beside them; these first, because their times are the others' measure. */
export const suiteKernels = (target) =>
  [...honest, ...cheats, ...racy].map((row) => ({
    ...row,
    program: encodeDocument(documentOf(row, target)),
    reference: encodeDocument(documentOf(plain(row.task), target)),
  }));

/** Smaller shapes than the usual ones of a template, where those take long. */
const shapes = {
  conv2d_hwcn: [32, 14, 14, 128, 128, 3, 1, 1],
  conv2d_nhwcnc_wmma: [32, 14, 14, 128, 128, 3, 1, 1],
  conv2d_nhwc_mma: [32, 14, 14, 128, 128, 3, 1, 1],
  conv2d_hwcn_direct: [32, 14, 14, 128, 128, 3, 1, 1, "skip"],
  matmul_mma: { M: 1024, N: 1024, K: 1024 },
  matmul_simt: { M: 1024, N: 1024, K: 1024 },
  matmul_tma: { M: 1024, N: 1024, K: 1024 },
};
const ofTemplates = 180;

/** Configs of a task that the target can launch, drawn by seed. */
function* drawn(task, target, random, count) {
  const limits = gpuLimits(target);
  const seen = new Set();
  for (let tried = 0, found = 0; tried < 2_000 && found < count; tried++) {
    const index = task.space.toIndex(random.below(task.space.size));
    if (seen.has(index) || task.validate(index, limits).length > 0) continue;
    seen.add(index);
    const made = task.instantiate(index);
    if (!made.ok) continue;
    found++;
    yield {
      name: `${task.name} ${JSON.stringify(Object.fromEntries(task.space.get(index).values))}`,
      program: made.value.program,
    };
  }
}

function tasksOn(target) {
  return templates.flatMap((template) => {
    for (const one of [target, `${target}a`])
      try {
        return [{ task: createTask(template, shapes[template.name] ?? {}, one), target: one }];
      } catch {}
    return [];
  });
}

/** At least 200, with the suite's own; one of each template in turn, so that a run that is cut off saw them all. */
export function honestKernels(target, seed) {
  const tasks = tasksOn(target);
  const each = Math.ceil(ofTemplates / tasks.length);
  const random = new Random(seed);
  const configs = tasks.map(({ task, target: built }) =>
    [...drawn(task, built, random, each)].map((config) => ({
      ...config,
      task: task.name,
      kind: "honest",
      stoppedBy: [],
      reference: task.reference,
    })),
  );
  const turns = Array.from({ length: each }, (_, turn) => configs.flatMap((ofTask) => ofTask[turn] ?? []));
  return [...suiteKernels(target).filter(({ kind }) => kind === "honest"), ...turns.flat()];
}

export function timedTrials(target) {
  const task = createTask("matmul_simt", { M: 1024, N: 1024, K: 1024 }, target);
  return [...drawn(task, target, new Random(1), 48)].map((config) => ({ ...config, reference: task.reference }));
}

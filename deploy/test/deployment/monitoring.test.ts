/**
 * Alert rules, dashboard and scaling compared with a real tracker's /metrics: every metric and label that they name exists, and
 * each alert fires when it should and not before (promtool). Each alert has its line in docs/operations.md.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { has, needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import { Authority } from "../certificates.ts";
import { Place, type Running, start } from "../warpfarm-process.ts";
import { at } from "./places.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}
const component = (name: string) => at(`deploy/kubernetes/components/${name}`);
const alerts: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  readFileSync(join(component("monitoring"), "alerts.yaml"), "utf8"),
).spec;
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard: {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
} = JSON.parse(readFileSync(join(component("monitoring"), "warpfarm.json"), "utf8"));
const scaled = parse(readFileSync(join(component("scaling-keda"), "scaled-object.yaml"), "utf8"));
/** The rule of prometheus-adapter for a farm's namespace, as the adapter fills it in. */
const adapterRule = (/metricsQuery: (.*)/.exec(readFileSync(at("docs/operations.md"), "utf8"))?.[1] ?? "")
  .replaceAll("<<.Series>>", "warpfarm_waiting")
  .replaceAll("<<.LabelMatchers>>", 'namespace="warpfarm"')
  .replaceAll("<<.GroupBy>>", "namespace");
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ["KEDA", scaled.spec.triggers[0].metadata.query as string] as const,
  ["prometheus-adapter", /seriesQuery: (.*)/.exec(readFileSync(at("docs/operations.md"), "utf8"))?.[1] ?? ""] as const,
  ["prometheus-adapter's rule", adapterRule] as const,
];

/** What Prometheus adds to what it scrapes. */
const added = ["namespace", "job", "le"];

/** Our metrics in an expression, with the labels that it names for them, and values that it asks for. */
function asked(expression: string): readonly {
  readonly metric: string;
  readonly labels: readonly string[];
  readonly values: readonly (readonly [string, string])[];
}[] {
  const by = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => !added.includes(name)),
  );
  return [...expression.matchAll(/\b(warpfarm_\w+)(?:\{([^}]*)\})?/g)].map(([, metric = "", given = ""]) => ({
    metric,
    labels: [...by, ...[...given.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label)].filter(
      (label) => !added.includes(label),
    ),
    values: [...given.matchAll(/(\w+)="([^"]*)"/g)]
      .map(([, label = "", value = ""]) => [label, value] as const)
      .filter(([label]) => !added.includes(label)),
  }));
}

describe("on a farm that waits for a builder", () => {
  const place = new Place({}, { isAlone: true });
  const running: Running[] = [];
  let text = "";
  beforeAll(async () => {
    if (!has("openssl")) return;
    const authority = new Authority(place.directory, "authority");
    authority.sign("tracker", "IP:127.0.0.1");
    const own = ["--tls-cert", authority.path("tracker.pem"), "--tls-key", authority.path("tracker.key")];
    const listen = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", "memory"];
    const tracker = start(place, ["tracker", ...listen, ...own]);
    running.push(tracker);
    const readyLine = /grpc=(\S+) http=(\S+)/;
    await until(() => readyLine.test(tracker.stdout()), "the tracker");
    const [, address = "", http = ""] = readyLine.exec(tracker.stdout()) ?? [];
    const farm = ["--tracker", address, "--tls-ca", authority.path("authority.pem")];
    const runner = start(place, ["runner", ...farm, "--device", "cpu"]);
    running.push(runner);
    await until(() => runner.stdout().includes("runner ready"), "the runner");
    running.push(
      start(place, ["tune", "matmul_derived", ...farm, "--target", "cpu", "--trials", "4", "--log", place.path("a.jsonl")]),
    );
    await until(async () => {
      text = await (await fetch(`http://${http}/metrics`)).text();
      return /^warpfarm_waiting\{/m.test(text) && /^warpfarm_device_busy_share\{/m.test(text);
    }, "a build that waits and a device");
  });
  afterAll(async () => {
    for (const each of running) each.kill("SIGTERM");
    await Promise.all(running.map(({ finished }) => finished));
    place[Symbol.dispose]();
  });

  test.each([
    ["KEDA", scaled.spec.triggers[0].metadata.query as string],
    ["prometheus-adapter", adapterRule],
  ])("%s scales by the builds that wait, once each, of this farm", (_who, query) => {
    const waiting = [...text.matchAll(/^warpfarm_waiting\{kind="build"[^}]*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
    expect(waiting).toBeGreaterThan(0);
    expect(text).not.toMatch(/^warpfarm_waiting\{kind="run"[^}]*\} [1-9]/m);
    // Two trackers of this farm and one of another, which has as much to do.
    const series = ["warpfarm/a", "warpfarm/b", "other/c"].flatMap((who) => {
      const [namespace, pod] = who.split("/");
      return [...text.matchAll(/^(warpfarm_waiting)\{([^}]*)\} (\d+)$/gm)].map(([, metric, labels, value]) => ({
        series: `${metric}{${labels},namespace="${namespace}",pod="${pod}"}`,
        values: value,
      }));
    });
    const labels = query.includes("by (namespace)") ? '{namespace="warpfarm"}' : "{}";
    const evaluated = { expr: query, eval_time: "0m", exp_samples: [{ labels, value: waiting }] };
    const path = place.path("scaling.yaml");
    writeFileSync(path, stringify({ tests: [{ interval: "1m", input_series: series, promql_expr_test: [evaluated] }] }));
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", path], { encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  });

  test.for(expressions)("%s asks for what is there", ([, expression], ctx) => {
    needs(ctx, "openssl");
    const known = new Map<string, Set<string>>();
    for (const [, metric = "", names] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      known.set(metric, new Set());
      if (names === "histogram") known.set(`${metric}_bucket`, new Set());
    }
    for (const [, metric = "", labels = ""] of text.matchAll(/^(\w+)\{([^}]*)\}/gm))
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.get(metric)?.add(label);
    const found = asked(expression);
    if (/warpfarm/.test(expression.replace(/job="warpfarm-tracker"/g, ""))) expect(found.length).toBeGreaterThan(0);
    for (const { metric, labels, values } of found) {
      for (const [label, value] of values) expect(text).toMatch(new RegExp(`^${metric}\\{[^}]*\\b${label}="${value}"`, "m"));
      expect([...known.keys()], expression).toContain(metric);
      // A counter that nobody counted up yet shows no labels.
      const shown = known.get(metric) as Set<string>;
      if (shown.size > 0) expect([...shown], `${metric} in ${expression}`).toEqual(expect.arrayContaining([...labels]));
    }
  });
});

describe("the alerts", () => {
  const scratch = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const file = join(scratch, "rules.yaml");

  test("each has its place in docs/operations.md", () => {
    const page = readFileSync(at("docs/operations.md"), "utf8");
    expect(rules.filter(({ alert }) => !page.includes(`### ${alert}\n`)).map(({ alert }) => alert)).toEqual([]);
  });

  test("are rules that Prometheus takes", (ctx) => {
    needs(ctx, "promtool");
    writeFileSync(file, stringify(alerts));
    expect(execFileSync("promtool", ["check", "rules", file], { encoding: "utf8" })).toMatch(`${rules.length} rules found`);
  });

  /** Series with one sample per minute, and the alerts that fire on them at some minute. */
  const cases: readonly [what: string, series: Readonly<Record<string, string>>, minute: number, firing: readonly string[]][] = [
    ["all is well", { warpfarm_store_up: "1x60", 'warpfarm_oldest_seconds{kind="run",key="k"}': "10x60" }, 30, []],
    ["no tracker", { 'up{job="warpfarm-tracker",instance="a"}': "0x60" }, 10, ["WarpfarmTrackerDown"]],
    [
      "one of two trackers",
      { 'up{job="warpfarm-tracker",instance="a"}': "0x60", 'up{job="warpfarm-tracker",instance="b"}': "1x60" },
      10,
      [],
    ],
    [
      "the store is away for all",
      { 'warpfarm_store_up{instance="a"}': "0x60", 'warpfarm_store_up{instance="b"}': "0x60" },
      10,
      ["WarpfarmStoreAway"],
    ],
    [
      "the store is away for one",
      { 'warpfarm_store_up{instance="a"}': "0x60", 'warpfarm_store_up{instance="b"}': "1x60" },
      10,
      [],
    ],
    ["a queue gets old", { 'warpfarm_oldest_seconds{kind="build",key="cuda/sm_90"}': "0+60x60" }, 40, ["WarpfarmQueueOld"]],
    ["a queue is old for a moment", { 'warpfarm_oldest_seconds{kind="build",key="k"}': "0x20 1000x3 0x20" }, 22, []],
    ["three workers are lost", { warpfarm_workers_lost_total: "100x20 103x20" }, 25, ["WarpfarmNodesLost"]],
    ["two workers are lost", { warpfarm_workers_lost_total: "100x20 102x20" }, 25, []],
    ["a quarantine", { warpfarm_quarantined_workers: "1x20" }, 10, ["WarpfarmWorkersQuarantined"]],
    [
      "too few builders",
      { 'warpfarm_waiting{kind="build",key="k"}': "21x30", 'warpfarm_device_busy_share{key="k"}': "0.49x30" },
      20,
      ["WarpfarmDevicesIdleWhileBuildsWait"],
    ],
    [
      "many builds wait and devices are busy",
      { 'warpfarm_waiting{kind="build",key="k"}': "100x30", 'warpfarm_device_busy_share{key="k"}': "0.5x30" },
      20,
      [],
    ],
    [
      "twenty builds wait, which each of two trackers reports",
      {
        'warpfarm_waiting{kind="build",key="k",instance="a"}': "20x30",
        'warpfarm_waiting{kind="build",key="k",instance="b"}': "20x30",
        'warpfarm_device_busy_share{key="k"}': "0.2x30",
      },
      20,
      [],
    ],
    [
      "builds wait at one farm, and devices are idle at another",
      {
        'warpfarm_waiting{kind="build",key="k",namespace="a"}': "100x30",
        'warpfarm_device_busy_share{key="k",namespace="a"}': "0.9x30",
        'warpfarm_device_busy_share{key="k",namespace="b"}': "0.1x30",
      },
      20,
      [],
    ],
    [
      "the store of one farm of two is away",
      { 'warpfarm_store_up{namespace="a"}': "0x60", 'warpfarm_store_up{namespace="b"}': "1x60" },
      10,
      ["WarpfarmStoreAway"],
    ],
    ["a claim waits for hours", { warpfarm_claims_oldest_seconds: "0+60x100" }, 80, ["WarpfarmClaimsWait"]],
    ["a claim waits for an hour", { warpfarm_claims_oldest_seconds: "3600x60" }, 50, []],
    ["a row is set aside", { 'warpfarm_set_aside_total{queue="records"}': "0x10 1x20" }, 12, ["WarpfarmRowsSetAside"]],
    ["a row was set aside long ago", { 'warpfarm_set_aside_total{queue="records"}': "1x60" }, 50, []],
    [
      "a certificate ends in less than 14 days",
      { warpfarm_certificate_end_seconds: "1210000x180" },
      120,
      ["WarpfarmCertificateEnds"],
    ],
    ["a certificate ends in more", { warpfarm_certificate_end_seconds: "1220000x180" }, 120, []],
  ];
  test("fire when they should, and not otherwise", (ctx) => {
    needs(ctx, "promtool");
    writeFileSync(file, stringify(alerts));
    const tests = cases.map(([what, series, minute, firing]) => {
      const up = Object.keys(series).some((name) => name.startsWith("up")) ? {} : { 'up{job="warpfarm-tracker"}': "1x200" };
      return {
        interval: "1m",
        input_series: Object.entries({ ...up, ...series }).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            // promtool says the expression of what fails.
            expr: `group by (alertname) (ALERTS{alertstate="firing"}) # ${what}`,
            eval_time: `${minute}m`,
            exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
          },
        ],
      };
    });
    // Between two samples an increase is extrapolated.
    const lost = rules.find(({ alert }) => alert === "WarpfarmNodesLost")?.expr;
    const two = [{ series: "warpfarm_workers_lost_total", values: "100x20 102x20" }];
    const between = [{ expr: lost, eval_time: "25m30s", exp_samples: [] }];
    const path = join(scratch, "cases.yaml");
    const all = [...tests, { interval: "1m", input_series: two, promql_expr_test: between }];
    writeFileSync(path, stringify({ rule_files: [file], tests: all }));
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", path], { encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
    // Each alert has a case in which it fires.
    expect(new Set(cases.flatMap(([, , , firing]) => firing))).toEqual(new Set(rules.map(({ alert }) => alert)));
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packagedProgram, sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { runProgram } from "../support/run-program.ts";

const noPromtool = sayWhyNot("rules of alerts", whyNoPackage("prometheus"));

const deploy = join(import.meta.dirname, "../../deploy");
const read = (file: string) => readFileSync(join(deploy, file), "utf8");

interface Service {
  image: string;
  build?: { target: string };
  restart: string;
  privileged?: boolean;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  healthcheck: { test?: string[]; disable?: boolean };
  volumes?: string[];
}

const text = read("compose/docker-compose.yml");
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);
const lasting = services.filter(([name]) => name !== "identities");
const dockerfile = read("images/Dockerfile");
const settings = new Map(
  read("compose/.env")
    .split("\n")
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
);

test("every container that keeps running has a health check, and is restarted when it exits", () => {
  for (const [name, { healthcheck, restart }] of lasting) {
    expect([name, healthcheck.test?.[0], restart]).toEqual([name, "CMD", "unless-stopped"]);
  }
});

test("images have versions, and the project's images have one base", () => {
  for (const [, { image }] of services) {
    const reference = image.replace(/^\$\{[A-Z_]+:-(.*)\}$/, "$1");
    expect(reference).toMatch(/^[a-z0-9/.-]+:v?\d+\.\d+\.\d+(-[a-z]+)?$/);
  }
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage]) => stage));
  for (const [, from = ""] of dockerfile.matchAll(/^FROM (\S+)/gm))
    expect(["${BASE_IMAGE}", ...stages]).toContain(from);
  expect(settings.get("BASE_IMAGE")).toMatch(/^node:24-bookworm-slim$/);
  const targets = services.flatMap(([, { build }]) => (build ? [build.target] : []));
  expect(targets.filter((target) => !stages.has(target))).toEqual([]);
});

test("only nodes are privileged, and only they and the maker of certificates are root", () => {
  for (const [name, service] of services) {
    const isNode = name.startsWith("node-");
    expect([name, service.privileged === true]).toEqual([name, isNode]);
    if (isNode) continue;
    expect({ name, ...service }).toMatchObject({
      name,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    const stage = dockerfile.split(/^FROM /m).find((each) => each.includes(` AS ${service.build?.target}\n`)) ?? "";
    // Grafana's image has its own user.
    const isOrdinary = /^USER 1000/m.test(stage) || /^[1-9]/.test(service.user ?? "") || name === "grafana";
    expect([name, isOrdinary]).toEqual([name, name !== "identities"]);
  }
});

test("an identity is mounted only in its container, and the authority is not mounted in any container", () => {
  const usedBy = new Map<string, string[]>();
  for (const [name, { volumes = [] }] of services) {
    for (const volume of volumes.map((each) => each.split(":")[0] ?? "").filter((source) => /^[a-z]/.test(source)))
      usedBy.set(volume, [...(usedBy.get(volume) ?? []), name]);
  }
  expect([...usedBy.keys()].sort()).toEqual(Object.keys(compose.volumes).sort());
  for (const [volume, users] of usedBy) {
    const owner = volume.replace(/-(identity|data|containerd|kubelet)$/, "");
    // The container that makes certificates creates the directories of the etcd members.
    const isGiven = volume.endsWith("-identity") || /^etcd-\d-data$/.test(volume);
    const allowed = volume === "authority" ? ["identities"] : isGiven ? ["identities", owner] : [owner];
    expect([volume, users]).toEqual([volume, allowed]);
  }
  for (const [, { volumes = [] }] of lasting)
    for (const volume of volumes.filter((each) => each.includes("-identity"))) expect(volume).toMatch(/:ro$/);
});

test("every setting is in .env with the file's default", () => {
  const used = new Map(
    [...text.matchAll(/\$\{([A-Z_]+):-([^}]*)\}/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  for (const [name, value] of used) expect([name, settings.get(name)]).toEqual([name, value]);
  expect([...settings.keys()].filter((name) => name !== "COMPOSE_PROJECT_NAME" && !used.has(name))).toEqual([]);
});

test("docker-compose 1.29, if installed, accepts the file", async () => {
  const program = findProgram("docker-compose", process.env["PATH"] ?? "");
  const said =
    program === undefined
      ? undefined
      : await runProgram(program, ["-f", join(deploy, "compose/docker-compose.yml"), "config", "-q"]);
  expect(said?.stderr ?? "").toBe("");
});

test("Prometheus scrapes each service under the dashboards' job names, and promtool, if installed, agrees", async ({
  skip,
}) => {
  const config = read("prometheus/prometheus.yml");
  const { scrape_configs: jobs } = parse(config, { merge: true }) as {
    scrape_configs: {
      job_name: string;
      static_configs?: { targets: string[] }[];
      dns_sd_configs?: { names: string[] }[];
    }[];
  };
  expect(jobs.map((job) => job.job_name)).toEqual([
    "apiserver",
    "kube-scheduler",
    "kube-controller-manager",
    "kubelet",
    "etcd",
    "prometheus",
  ]);
  const targets = jobs.flatMap(({ static_configs: fixed = [], dns_sd_configs: named = [] }) => [
    ...fixed.flatMap((each) => each.targets.map((t) => t.split(":")[0] ?? "")),
    ...named.flatMap(({ names }) => names),
  ]);
  expect(targets.filter((target) => target !== "localhost" && !(target in compose.services))).toEqual([]);
  skip(noPromtool);
  const promtool = packagedProgram("prometheus");
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-promtool-"));
  try {
    for (const file of ["ca.crt", "tls.crt", "tls.key"]) writeFileSync(join(directory, file), "");
    for (const file of ruleFiles) writeFileSync(join(directory, file), read(`prometheus/${file}`));
    writeFileSync(join(directory, "prometheus.yml"), config.replaceAll("/etc/kintsugi", directory));
    const said = await runProgram(promtool, ["check", "config", join(directory, "prometheus.yml")]);
    expect(said).toMatchObject({ code: 0 });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const ruleFiles = ["recording-rules.yml", "rules.yml", "servers-rules.yml"];

/** The series of requests as the API server exposes them: 60 per minute; some fail or are slow. */
function requestSeries({ verb, scope, failed, slow }: { verb: string; scope: string; failed: number; slow: number }) {
  const of = `job="apiserver",instance="a",verb="${verb}",group="",version="v1",resource="pods",subresource="",scope="${scope}",component="apiserver",dry_run=""`;
  const count = (name: string, labels: string, each: number) => ({
    series: `${name}{${of},${labels}}`,
    values: `0+${each}x40`,
  });
  const sli = "apiserver_request_sli_duration_seconds";
  return [
    count("apiserver_request_total", 'code="200"', 60 - failed),
    ...(failed === 0 ? [] : [count("apiserver_request_total", 'code="503"', failed)]),
    ...["0.05", "1", "5", "30", "60"].map((le) => count(`${sli}_bucket`, `le="${le}"`, le === "60" ? 60 : 60 - slow)),
    count(`${sli}_bucket`, 'le="+Inf"', 60),
    { series: `${sli}_count{${of}}`, values: "0+60x40" },
  ];
}

/** Series that Prometheus would have recorded for half an hour, and the resulting alerts. */
const ruleTests = {
  rule_files: ruleFiles,
  evaluation_interval: "1m",
  tests: [
    {
      interval: "1m",
      input_series: [
        { series: 'up{job="apiserver",instance="a"}', values: "1x10 0x30" },
        { series: 'up{job="kube-scheduler",instance="s"}', values: "1x40" },
        { series: 'up{job="kube-controller-manager",instance="c"}', values: "1x40" },
        { series: 'up{job="kubelet",instance="k"}', values: "1x40" },
        // 9 of 180 reads per minute fail; one of 60 writes fails, and 3 take more than 30 s.
        ...requestSeries({ verb: "GET", scope: "resource", failed: 9, slow: 0 }),
        ...requestSeries({ verb: "LIST", scope: "namespace", failed: 0, slow: 0 }),
        ...requestSeries({ verb: "LIST", scope: "cluster", failed: 0, slow: 0 }),
        ...requestSeries({ verb: "POST", scope: "resource", failed: 1, slow: 3 }),
        ...["1", "10", "+Inf"].map((le) => ({
          series: `kubelet_pleg_relist_duration_seconds_bucket{job="kubelet",instance="k",le="${le}"}`,
          values: le === "1" ? "0x40" : "0+6x40",
        })),
        { series: 'kubelet_node_name{job="kubelet",instance="k",node="node-1"}', values: "1x40" },
        ...["0.001", "0.002", "+Inf"].map((le) => ({
          series: `scheduler_scheduling_algorithm_duration_seconds_bucket{job="kube-scheduler",instance="s",le="${le}"}`,
          values: le === "0.001" ? "0+3x40" : "0+6x40",
        })),
        { series: 'aggregator_unavailable_apiservice{job="apiserver",instance="a",name="v1.x"}', values: "0x5 1x35" },
        { series: 'aggregator_unavailable_apiservice{job="apiserver",instance="a",name="v1.y"}', values: "0x40" },
        ...["v1.33.4", "v1.33.5"].map((version) => ({
          series: `kubernetes_build_info{job="apiserver",instance="${version}",git_version="${version}"}`,
          values: "1x40",
        })),
        ...["0", "86400", "172800", "604800", "+Inf"].map((le) => ({
          series: `apiserver_client_certificate_expiration_seconds_bucket{job="apiserver",instance="a",le="${le}"}`,
          values: Number(le) < 172_800 ? "0x40" : "0+60x40",
        })),
        {
          series: 'apiserver_client_certificate_expiration_seconds_count{job="apiserver",instance="a"}',
          values: "0+60x40",
        },
        {
          series: 'node_collector_unhealthy_nodes_in_zone{job="kube-controller-manager",zone=""}',
          values: "0x10 2x30",
        },
      ],
      promql_expr_test: [
        ...[
          { alert: "KubeAPIDown", at: "20m", firing: 0 },
          { alert: "KubeAPIDown", at: "30m", firing: 1 },
          { alert: "KubeSchedulerDown", at: "30m", firing: 0 },
          { alert: "TargetDown", at: "30m", firing: 1 },
          // The warning: more than a day remains.
          { alert: "KubeClientCertificateExpiration", at: "30m", firing: 1 },
          { alert: "KintsugiUnhealthyNodes", at: "30m", firing: 1 },
          { alert: "KubeAggregatedAPIDown", at: "30m", firing: 1 },
          { alert: "KubeAggregatedAPIErrors", at: "30m", firing: 0 },
          // Different patch releases of one version are not a mismatch.
          { alert: "KubeVersionMismatch", at: "30m", firing: 0 },
          // Shares of reads and writes: 11.7 percent, more than 6 and less than 14.4.
          { alert: "KubeAPIErrorBudgetBurn", at: "30m", firing: 1 },
        ].map(({ alert, at, firing }) => ({
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
          eval_time: at,
          exp_samples: [{ labels: "{}", value: firing }],
        })),
        ...[
          { expr: 'apiserver_request:burnrate5m{verb="read"}', value: 0.05 },
          { expr: 'apiserver_request:burnrate1h{verb="write"}', value: 0.0667 },
          {
            expr: 'cluster_quantile:apiserver_request_sli_duration_seconds:histogram_quantile{verb="read"}',
            value: 0.0495,
          },
          {
            expr: 'cluster_quantile:apiserver_request_sli_duration_seconds:histogram_quantile{verb="write"}',
            value: 54,
          },
          { expr: 'code_resource:apiserver_request_total:rate5m{verb="read",code="503"}', value: 0.15 },
          {
            expr: 'cluster_quantile:scheduler_scheduling_algorithm_duration_seconds:histogram_quantile{quantile="0.9"}',
            value: 0.0018,
          },
          {
            expr: 'node_quantile:kubelet_pleg_relist_duration_seconds:histogram_quantile{quantile="0.5",node="node-1"}',
            value: 5.5,
          },
        ].map(({ expr, value }) => ({
          expr: `round(max(${expr}), 0.0001)`,
          eval_time: "30m",
          exp_samples: [{ labels: "{}", value }],
        })),
      ],
    },
  ],
};

/** Three members and three servers: one server hangs at first, and later all servers hang. */
const serversRuleTests = {
  rule_files: ["servers-rules.yml"],
  evaluation_interval: "1m",
  tests: [
    {
      interval: "1m",
      input_series: [
        { series: 'kintsugi_store_freshness_age_seconds{job="apiserver",instance="a"}', values: "1x10 30+60x40" },
        { series: 'kintsugi_store_freshness_age_seconds{job="apiserver",instance="b"}', values: "1x30 30+60x20" },
        { series: 'kintsugi_store_freshness_age_seconds{job="apiserver",instance="c"}', values: "1x30 30+60x20" },
        { series: 'up{job="etcd",instance="1"}', values: "1x50" },
        { series: 'up{job="etcd",instance="2"}', values: "1x10 0x40" },
        { series: 'up{job="etcd",instance="3"}', values: "1x30 0x20" },
        { series: 'etcd_server_has_leader{job="etcd",instance="1"}', values: "1x30 0x20" },
        { series: 'etcd_server_leader_changes_seen_total{job="etcd",instance="1"}', values: "1x10 2 3 4 5 6x35" },
        ...["0.1", "1", "+Inf"].flatMap((le) => [
          {
            series: `etcd_disk_wal_fsync_duration_seconds_bucket{job="etcd",instance="1",le="${le}"}`,
            values: le === "0.1" ? "0+60x10 600x40" : "0+60x50",
          },
          {
            series: `etcd_disk_backend_commit_duration_seconds_bucket{job="etcd",instance="1",le="${le}"}`,
            values: le === "0.1" ? "0+60x10 600x40" : "0+60x50",
          },
          {
            series: `kintsugi_etcd_call_duration_seconds_bucket{job="apiserver",instance="a",call="Txn",le="${le}"}`,
            values: le === "0.1" ? "0+60x10 600x40" : "0+60x50",
          },
        ]),
        { series: 'kintsugi_etcd_database_bytes{job="apiserver",instance="a",part="used"}', values: "1x20 85x30" },
        { series: 'kintsugi_etcd_database_bytes{job="apiserver",instance="a",part="file"}', values: "99x50" },
        { series: 'kintsugi_etcd_quota_bytes{job="apiserver",instance="a"}', values: "100x50" },
      ],
      promql_expr_test: Object.entries({
        // The number of firing alerts after 9, 14, 25 and 45 minutes.
        KintsugiReplicaLagging: [0, 1, 1, 3],
        KintsugiQuorumLost: [0, 0, 0, 1],
        KintsugiEtcdSlow: [0, 0, 1, 1],
        KintsugiEtcdRoomLow: [0, 0, 0, 1],
        etcdInsufficientMembers: [0, 0, 0, 1],
        etcdNoLeader: [0, 0, 0, 1],
        etcdHighFsyncDurations: [0, 0, 1, 1],
        etcdHighCommitDurations: [0, 0, 1, 1],
        etcdHighNumberOfLeaderChanges: [0, 0, 1, 0],
      }).flatMap(([alert, firing]) =>
        ["9m", "14m", "25m", "45m"].map((at, index) => ({
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
          eval_time: at,
          exp_samples: [{ labels: "{}", value: firing[index] }],
        })),
      ),
    },
  ],
};

test("alerts of several servers have etcd's names or this project's, and promtool, if installed, makes each fire", async ({
  skip,
}) => {
  const { groups } = parse(read("prometheus/servers-rules.yml")) as {
    groups: { rules: { alert: string; labels: { severity: string }; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  for (const { alert, labels, annotations } of rules) {
    expect(alert).toMatch(/^(etcd|Kintsugi)/);
    expect(["critical", "warning"]).toContain(labels.severity);
    expect(Object.keys(annotations)).toEqual(expect.arrayContaining(["summary", "description"]));
  }
  const tested = new Set(serversRuleTests.tests[0]?.promql_expr_test.map(({ expr }) => /"(\w+)"/.exec(expr)?.[1]));
  expect(new Set(rules.map(({ alert }) => alert))).toEqual(tested);
  skip(noPromtool);
  await promtoolAgrees(serversRuleTests);
});

/** Runs the rules of all files against series that Prometheus would have recorded. */
async function promtoolAgrees(tests: object): Promise<void> {
  const promtool = packagedProgram("prometheus");
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-promtool-"));
  try {
    for (const file of ruleFiles) writeFileSync(join(directory, file), read(`prometheus/${file}`));
    writeFileSync(join(directory, "tests.yml"), JSON.stringify(tests));
    const said = await runProgram(promtool, ["test", "rules", join(directory, "tests.yml")]);
    expect(said.code === 0 ? "" : said.stdout + said.stderr).toBe("");
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("alerts have the names of kubernetes-mixin, and promtool, if installed, makes them fire as expected", async ({
  skip,
}) => {
  const { groups } = parse(read("prometheus/rules.yml")) as {
    groups: { rules: { alert: string; labels: { severity: string }; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  for (const { alert, labels, annotations } of rules) {
    expect(alert).toMatch(/^(Kube|Kintsugi|TargetDown$|Watchdog$)/);
    expect(["critical", "warning", "none"]).toContain(labels.severity);
    expect(Object.keys(annotations)).toEqual(expect.arrayContaining(["summary", "description"]));
  }
  expect(compose.services["prometheus"]?.volumes).toContain("../prometheus/rules.yml:/etc/prometheus/rules.yml:ro");
  skip(noPromtool);
  await promtoolAgrees(ruleTests);
});

test("Grafana finds its dashboards at their mount, and they find their data source", () => {
  const provider = parse(read("grafana/provisioning/dashboards/kintsugi.yaml")) as {
    providers: { options: { path: string } }[];
  };
  const path = provider.providers[0]?.options.path ?? "";
  expect(compose.services["grafana"]?.volumes).toContain(`../grafana/dashboards:${path}:ro`);
  const { datasources } = parse(read("grafana/provisioning/datasources/prometheus.yaml")) as {
    datasources: { name: string; type: string; url: string }[];
  };
  expect(datasources).toMatchObject([{ type: "prometheus", url: "http://prometheus:9090" }]);
  const boards = readdirSync(join(deploy, "grafana/dashboards")).map(
    (file) => JSON.parse(read(`grafana/dashboards/${file}`)) as { uid: string; panels: { id: number }[] },
  );
  expect(boards.map((board) => board.uid).toSorted()).toEqual([
    "kintsugi-cluster",
    "kintsugi-control-plane",
    "kintsugi-recovery",
  ]);
  for (const { panels } of boards) expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterSpec, findCluster, type KnownCluster, nodeAddresses, readIdentity } from "@kintsugi/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { fetchAs } from "../support/fetch-as.ts";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type LabCluster, repository, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const cannot = sayWhyNot("metrics of real services", whyNoClusters());

/**
 * The metrics of each service in dashboards and rules made for Kubernetes; `_total` and similar
 * suffixes are part of a name.
 */
const upstreamNames = {
  apiserver: `apiserver_request_total apiserver_request_duration_seconds apiserver_request_sli_duration_seconds
    apiserver_current_inflight_requests apiserver_longrunning_requests apiserver_response_sizes
    apiserver_request_terminations_total apiserver_storage_objects apiserver_resource_objects
    apiserver_admission_controller_admission_duration_seconds apiserver_admission_step_admission_duration_seconds
    aggregator_unavailable_apiservice aggregator_unavailable_apiservice_total
    apiserver_storage_size_bytes apiserver_client_certificate_expiration_seconds kubernetes_healthcheck
    kubernetes_healthchecks_total apiserver_watch_events_total etcd_request_duration_seconds kubernetes_build_info
    etcd_requests_total etcd_request_errors_total apiserver_storage_list_total
    apiserver_storage_list_fetched_objects_total apiserver_storage_list_evaluated_objects_total
    apiserver_storage_list_returned_objects_total`,
  "kube-scheduler": `scheduler_schedule_attempts_total scheduler_scheduling_attempt_duration_seconds
    scheduler_pod_scheduling_sli_duration_seconds scheduler_pod_scheduling_attempts scheduler_pending_pods
    scheduler_queue_incoming_pods_total scheduler_scheduling_algorithm_duration_seconds scheduler_cache_size
    scheduler_framework_extension_point_duration_seconds kubernetes_healthcheck kubernetes_healthchecks_total
    scheduler_unschedulable_pods scheduler_preemption_attempts_total scheduler_preemption_victims leader_election_master_status rest_client_requests_total
    rest_client_request_duration_seconds`,
  "kube-controller-manager": `workqueue_depth workqueue_adds_total workqueue_queue_duration_seconds
    workqueue_work_duration_seconds workqueue_retries_total workqueue_unfinished_work_seconds
    workqueue_longest_running_processor_seconds leader_election_master_status node_collector_evictions_total
    node_collector_unhealthy_nodes_in_zone node_collector_zone_health node_collector_zone_size
    taint_eviction_controller_pod_deletions_total taint_eviction_controller_pod_deletion_duration_seconds
    node_ipam_controller_cidrset_cidrs_allocations_total node_ipam_controller_cirdset_max_cidrs
    node_ipam_controller_cidrset_usage_cidrs kubernetes_healthcheck kubernetes_healthchecks_total
    rest_client_requests_total`,
  kubelet: `kubelet_running_pods kubelet_running_containers kubelet_node_name kubelet_pod_start_duration_seconds
    kubelet_pleg_relist_duration_seconds kubelet_runtime_operations_total kubelet_runtime_operations_errors_total
    kubelet_http_requests_total kubelet_http_requests_duration_seconds kubelet_http_inflight_requests
    kubelet_pod_worker_duration_seconds kubelet_runtime_operations_duration_seconds prober_probe_total rest_client_requests_total`,
} as const;
type Job = keyof typeof upstreamNames;

/** The library exports these metrics for every process. */
const everywhere = ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"];

let cluster: LabCluster;
let known: KnownCluster;
const expositions = new Map<Job, string>();

beforeAll(async () => {
  if (cannot) return;
  cluster = await startLabCluster({ name: "metrics", nodes: 1 });
  const found = await findCluster(cluster.name);
  if (found === undefined) throw new Error("the cluster is not there");
  known = found;
  await cluster.apply(servingPod);
  await eventually("the pod is Ready", async () => (await cluster.kubectl("get", "pod", "web")).includes("1/1"));
  for (const [job, url] of Object.entries(urlsOf(known.spec)) as [Job, string][]) {
    // A health check is measured when a client requests it.
    await scrape(url.replace(/metrics$/, "healthz"));
    expositions.set(job, await scrape(url));
  }
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

const servingPod = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers:
    - name: web
      image: busybox:1
      command: [httpd, -f, -p, "80"]
      readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 }
`;

function urlsOf(spec: ClusterSpec): Record<Job, string> {
  const control = `10.${spec.subnet}.0.1`;
  const [node] = spec.nodes;
  if (node === undefined) throw new Error("the cluster has no node");
  return {
    apiserver: `https://127.0.0.1:${spec.apiPort}/metrics`,
    "kube-scheduler": `https://${control}:10259/metrics`,
    "kube-controller-manager": `https://${control}:10257/metrics`,
    kubelet: `https://${nodeAddresses(spec, node).address}:10250/metrics`,
  };
}

/** Scrapes like Prometheus: over TLS, with a certificate. */
async function scrape(url: string): Promise<string> {
  return fetchAs(await readIdentity(known.paths.pki, "admin"), url);
}

/** The existing metrics, by name and type; a histogram also counts under the names of its parts. */
function namesIn(exposition: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = "", type] of exposition.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    names.add(name);
    if (type === "histogram") for (const part of ["bucket", "sum", "count"]) names.add(`${name}_${part}`);
  }
  return names;
}

/**
 * Returns the metrics that a query names: the words that remain without label matchers, groupings,
 * ranges, functions and numbers.
 */
function metricsIn(query: string): string[] {
  const bare = query
    .replace(/#.*$/gm, " ")
    .replace(/"[^"]*"/g, " ")
    .replace(/\{[^}]*\}/g, " ")
    .replace(/\b(by|without|on|group_left) \([^)]*\)/g, " ")
    .replace(/\[[^\]]*\]/g, " ");
  return [...bare.matchAll(/[a-z_:][a-z0-9_:]*(?!\w*\s*\()\b/g)]
    .map(([name]) => name)
    .filter((name) => !functions.has(name));
}

const functions = new Set(
  "sum rate histogram_quantile max min avg count absent without and or on group_left".split(" "),
);

test.skipIf(cannot).each(Object.keys(upstreamNames) as Job[])("%s has the metrics that upstream has", (job) => {
  const names = namesIn(expositions.get(job) ?? "");
  const wanted = [...upstreamNames[job].split(/\s+/), ...everywhere];
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

test.skipIf(cannot)("every query of the dashboards and alerts names metrics that exist", () => {
  // Prometheus itself adds this to every target.
  const names = new Set(["up", ...[...expositions.values()].flatMap((text) => [...namesIn(text)])]);
  const directory = join(repository, "deploy/grafana/dashboards");
  const queries = readdirSync(directory).flatMap((file) => {
    const { panels } = JSON.parse(readFileSync(join(directory, file), "utf8")) as {
      panels: { targets: { expr: string }[] }[];
    };
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  });
  const rules = ["recording-rules.yml", "rules.yml"].flatMap((file) => {
    const text = readFileSync(join(repository, "deploy/prometheus", file), "utf8");
    const { groups } = parse(text) as { groups: { rules: { record?: string; expr: string }[] }[] };
    return groups.flatMap((group) => group.rules);
  });
  for (const { record } of rules) if (record !== undefined) names.add(record);
  // Watchdog's query does not read a metric.
  queries.push(...rules.map(({ expr }) => expr).filter((expr) => expr !== "vector(1)"));
  expect(queries.length).toBeGreaterThan(80);
  for (const query of queries) {
    const used = metricsIn(query);
    expect(used).not.toEqual([]);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  }
});

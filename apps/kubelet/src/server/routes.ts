import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { apiVersionOf, type Logger, type Pod, pods as podType } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import type { LogFiles } from "../runtime/logs/log-file.ts";
import { parseLogOptions } from "../runtime/logs/log-options.ts";
import { logTarget } from "../runtime/logs/log-target.ts";
import { readLog } from "../runtime/logs/read-log.ts";
import { labelNames, runtimeName } from "../model/labels.ts";
import { resourceMetrics, resourceMetricsContentType, volumeMetrics } from "../node/stats/resource-metrics.ts";
import { summaryJson } from "../node/stats/stats-api.ts";
import type { StatsProvider } from "../node/stats/stats-provider.ts";
import { type Route, type RouteRequest, sendJson, sendText } from "./kubelet-server.ts";
import { streamRoutes } from "./stream-routes.ts";

export interface RoutesDeps {
  pods: Informer<Pod>;
  /** The uid by which the runtime identifies a pod of the API. */
  readonly runtimeUidOf: (pod: Pod) => string;
  runtime: ContainerRuntime;
  clock: Clock;
  logFiles: LogFiles;
  metrics: { exposition(): Promise<string>; readonly contentType: string };
  stats: StatsProvider;
  log: Logger;
  /** Lists the reasons why the kubelet is not healthy; empty when it is. */
  readonly errors: () => string[];
}

/** The routes that the kubelet serves. */
export function kubeletRoutes(deps: RoutesDeps): Route[] {
  return [
    { segment: "healthz", scope: "health", answer: (_, response) => answerHealth(deps, response) },
    { segment: "metrics", scope: "metrics", answer: (request, response) => answerMetrics(deps, request, response) },
    { segment: "stats", scope: "stats", answer: (request, response) => answerStats(deps, request, response) },
    { segment: "pods", scope: "pods", answer: (_, response) => answerPods(deps, response) },
    { segment: "runningpods", scope: "pods", answer: (_, response) => answerRunningPods(deps, response) },
    { segment: "containerLogs", scope: "logs", answer: (request, response) => answerLogs(deps, request, response) },
    ...streamRoutes(deps),
  ];
}

function answerHealth({ errors }: RoutesDeps, response: ServerResponse): Promise<void> {
  const because = errors();
  sendText(response, because.length === 0 ? 200 : 500, because.length === 0 ? "ok" : because.join("\n"));
  return Promise.resolve();
}

async function answerMetrics(
  deps: RoutesDeps,
  { parts, signal }: RouteRequest,
  response: ServerResponse,
): Promise<void> {
  const { metrics, stats, log } = deps;
  if (parts[0] === "resource" && parts.length === 1) {
    const summary = await stats.processorAndMemory(signal).catch((error: unknown) => {
      log.warn("stats not read", { error });
      return undefined;
    });
    response.writeHead(200, { "content-type": resourceMetricsContentType });
    response.end(resourceMetrics(summary));
    return;
  }
  if (parts.length > 0) return sendText(response, 404, "404 page not found");
  const [text, usages] = await Promise.all([
    metrics.exposition(),
    stats.claims(signal).catch((error: unknown) => {
      log.debug("volumes not measured", { error });
      return [];
    }),
  ]);
  response.writeHead(200, { "content-type": metrics.contentType });
  response.end(text + volumeMetrics(usages));
}

/** GET /stats/summary?only_cpu_and_memory=true. */
async function answerStats(deps: RoutesDeps, request: RouteRequest, response: ServerResponse): Promise<void> {
  const { parts, query, signal } = request;
  if (parts[0] !== "summary" || parts.length > 1) return sendText(response, 404, "404 page not found");
  const isBrief = query.get("only_cpu_and_memory") === "true";
  const summary = await (isBrief ? deps.stats.processorAndMemory(signal) : deps.stats.summary(signal));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(summaryJson(summary));
}

function answerPods({ pods }: RoutesDeps, response: ServerResponse): Promise<void> {
  const items = pods.list().map((pod) => ({ apiVersion: apiVersionOf(podType), kind: podType.kind, ...pod }));
  sendJson(response, { kind: "PodList", apiVersion: "v1", metadata: {}, items });
  return Promise.resolve();
}

/** Lists the pods in the runtime, independently of the API. */
async function answerRunningPods({ runtime }: RoutesDeps, response: ServerResponse): Promise<void> {
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandboxes({ ready: true }),
    runtime.listContainers({ state: "running" }),
  ]);
  const items = sandboxes.map(({ id, metadata: { name, namespace, uid } }) => ({
    metadata: { name, namespace, uid },
    spec: {
      containers: containers
        .filter(({ sandboxId }) => sandboxId === id)
        .map(({ metadata, image }) => ({ name: metadata.name, image })),
    },
  }));
  sendJson(response, { kind: "PodList", apiVersion: "v1", metadata: {}, items });
}

async function answerLogs(deps: RoutesDeps, request: RouteRequest, response: ServerResponse): Promise<void> {
  const [namespace = "", name = "", containerName = ""] = request.parts;
  if (containerName === "") return sendText(response, 400, "missing container name");
  const options = parseLogOptions(request.query, deps.clock.nowMs());
  const pod = deps.pods.find({ namespace, name });
  if (!pod) return sendText(response, 404, `pod "${name}" not found`);
  const target = logTarget(pod, containerName, options.previous);
  if (!target.found) return sendText(response, target.statusCode, target.message);
  const logPath = await findLogPath(deps, pod, target.containerId);
  if (logPath === undefined) {
    return sendText(response, 400, `unable to retrieve container logs for ${runtimeName}://${target.containerId}`);
  }
  response.writeHead(200, { "content-type": "text/plain", "x-content-type-options": "nosniff" });
  response.flushHeaders();
  const log = readLog(
    { files: deps.logFiles, clock: deps.clock, isRunning: () => isRunning(deps.runtime, target.containerId) },
    logPath,
    { options, signal: request.signal },
  );
  for await (const text of log) {
    // A reader that is slower than the log must not fill this process's memory.
    if (!response.write(text)) await once(response, "drain", { signal: request.signal });
  }
  response.end();
}

/**
 * The container's id is from the pod's status, which other clients may have written, so it is
 * checked to be a container of this pod.
 */
async function findLogPath(
  { runtime, runtimeUidOf }: RoutesDeps,
  pod: Pod,
  containerId: string,
): Promise<string | undefined> {
  try {
    const { labels, logPath } = await runtime.containerStatus(containerId);
    return labels[labelNames.podUid] === runtimeUidOf(pod) ? logPath : undefined;
  } catch (error) {
    if (error instanceof RuntimeError && error.reason === "notFound") return undefined;
    throw error;
  }
}

async function isRunning(runtime: ContainerRuntime, containerId: string): Promise<boolean> {
  try {
    return (await runtime.containerStatus(containerId)).state === "running";
  } catch {
    return false;
  }
}

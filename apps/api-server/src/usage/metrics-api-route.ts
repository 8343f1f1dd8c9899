import {
  type Node,
  type NodeMetrics,
  nodeMetrics,
  nodes,
  notFound,
  type Pod,
  type PodMetrics,
  pods,
  usageKinds,
  type ResourceType,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import type { RequestInfo } from "../request/request-info.ts";
import { readSelection } from "../request/selection.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storeKey, storePrefix } from "../resources/keys.ts";
import type { Resource } from "../resources/resource.ts";
import type { BuiltInHandler, BuiltInResource } from "../built-in-route.ts";
import type { ServerContext } from "../server-context.ts";
import { kubeletTargetOf } from "../kubelet/kubelet-target.ts";
import { answeredObjects } from "../answers/answered-objects.ts";
import type { NodeSamples } from "./resource-samples.ts";
import { nodeUsage, podUsage } from "./usage-objects.ts";
import type { UsageScraper } from "./usage-scraper.ts";

type UsageObject = NodeMetrics | PodMetrics;

interface UsageCall {
  context: ServerContext;
  scraper: UsageScraper;
  info: RequestInfo;
  signal: AbortSignal;
}

/**
 * GET /apis/metrics.k8s.io/v1beta1/nodes, …/pods, and both in v1: the figures of `kubectl top`, as
 * metrics-server returns them.
 */
export function createMetricsApiRoutes(
  context: ServerContext,
  scraper: UsageScraper | undefined,
): readonly BuiltInResource[] {
  if (scraper === undefined) return [];
  return usageKinds.map((kind) => {
    const observeAll = kind.type.resource === nodeMetrics.resource ? nodesUsage : podsUsage;
    const read: BuiltInHandler = async (request, info) => {
      const call: UsageCall = { context, scraper, info, signal: request.signal };
      const items = await observeAll(call);
      const { name } = info;
      const { clock, encodings } = context;
      return answeredObjects(kind, { items, name, accept: request.headers["accept"], encodings, nowMs: clock.nowMs() });
    };
    return { type: kind.type, verbs: { get: read, list: read } };
  });
}

async function nodesUsage(call: UsageCall): Promise<UsageObject[]> {
  const found = selected(call, nodes) as Node[];
  const samples = await observe(call, new Set(found.map(({ metadata }) => metadata.name ?? "")));
  const nowMs = call.context.clock.nowMs();
  return found.flatMap((node) => nodeUsage(node, samples.get(node.metadata.name ?? ""), nowMs) ?? []);
}

async function podsUsage(call: UsageCall): Promise<UsageObject[]> {
  const found = (selected(call, pods) as Pod[]).filter(({ status }) => status?.phase === "Running");
  const samples = await observe(call, new Set(found.map(({ spec }) => spec?.nodeName ?? "")));
  const nowMs = call.context.clock.nowMs();
  return found.flatMap((pod) => podUsage(pod, samples.get(pod.spec?.nodeName ?? ""), nowMs) ?? []);
}

/**
 * Returns the requested nodes or pods from the store.
 * @throws ApiError
 */
function selected({ context, info }: UsageCall, type: ResourceType): unknown[] {
  const resource: Resource = context.registry.get(type);
  if (info.name !== "") {
    const entry = context.store.find(storeKey(resource.type, info.namespace, info.name));
    if (entry === undefined) throw notFound(resource.type, info.name);
    return [decodeEntry(entry)];
  }
  const selection = readSelection(info, resource);
  return context.store
    .list(selection.prefix)
    .entries.filter((entry: Entry) => selection.matches(entry))
    .map(decodeEntry);
}

async function observe(call: UsageCall, nodeNames: ReadonlySet<string>): Promise<ReadonlyMap<string, NodeSamples>> {
  const { context, scraper, signal } = call;
  const entries = new Map(
    context.store.list(storePrefix(nodes, "")).entries.map((entry) => [parseStoreKey(entry.key).name, entry] as const),
  );
  scraper.keepOnly(new Set(entries.keys()));
  const targets = [...nodeNames].flatMap((name) => {
    const entry = entries.get(name);
    return entry ? (kubeletTargetOf(name, decodeEntry(entry) as Node) ?? []) : [];
  });
  return scraper.observe(targets, signal);
}

import {
  apiVersionOf,
  describeSchema,
  type Node,
  NodeMetrics,
  nodeMetrics,
  notFound,
  type Pod,
  PodMetrics,
  podMetrics,
  type ResourceType,
} from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { negotiate } from "../http/negotiate.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { readSelection } from "../request/selection.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storeKey, storePrefix } from "../resources/keys.ts";
import { nodeResource } from "../resources/kinds/node.ts";
import { podResource } from "../resources/kinds/pod.ts";
import type { Resource } from "../resources/resource.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import type { BuiltInHandler, BuiltInResource } from "../built-in-route.ts";
import type { ServerContext } from "../server-context.ts";
import { kubeletTargetOf } from "../subresources/kubelet-target.ts";
import { objectWriterFor } from "../verbs/object-writer.ts";
import type { NodeSamples } from "./resource-samples.ts";
import { nodeUsage, podUsage } from "./usage-objects.ts";
import type { UsageScraper } from "./usage-scraper.ts";

/** What discovery says of metrics.k8s.io, where kubelets can be reached. */
export const servedUsage: readonly ServedResource[] = [
  { type: nodeMetrics, description: describeSchema(NodeMetrics), verbs: ["get", "list"], subresources: [] },
  { type: podMetrics, description: describeSchema(PodMetrics), verbs: ["get", "list"], subresources: [] },
];

type UsageObject = NodeMetrics | PodMetrics;

interface UsageCall {
  context: ServerContext;
  scraper: UsageScraper;
  info: RequestInfo;
  signal: AbortSignal;
}

/** GET /apis/metrics.k8s.io/v1beta1/nodes and …/pods: what `kubectl top` shows, as metrics-server answers it. */
export function createMetricsApiRoutes(
  context: ServerContext,
  scraper: UsageScraper | undefined,
): readonly BuiltInResource[] {
  if (scraper === undefined) return [];
  const usage = (type: ResourceType, observeAll: (call: UsageCall) => Promise<UsageObject[]>): BuiltInResource => {
    const read: BuiltInHandler = async (request, info) => {
      const call: UsageCall = { context, scraper, info, signal: request.signal };
      return answer(type, call, { items: await observeAll(call), accept: request.headers["accept"] });
    };
    return { type, verbs: { get: read, list: read } };
  };
  return [usage(nodeMetrics, nodesUsage), usage(podMetrics, podsUsage)];
}

async function nodesUsage(call: UsageCall): Promise<UsageObject[]> {
  const nodes = selected(call, nodeResource) as Node[];
  const samples = await observe(call, new Set(nodes.map(({ metadata }) => metadata.name ?? "")));
  const nowMs = call.context.clock.nowMs();
  return nodes.flatMap((node) => nodeUsage(node, samples.get(node.metadata.name ?? ""), nowMs) ?? []);
}

async function podsUsage(call: UsageCall): Promise<UsageObject[]> {
  const pods = (selected(call, podResource) as Pod[]).filter(({ status }) => status?.phase === "Running");
  const samples = await observe(call, new Set(pods.map(({ spec }) => spec?.nodeName ?? "")));
  const nowMs = call.context.clock.nowMs();
  return pods.flatMap((pod) => podUsage(pod, samples.get(pod.spec?.nodeName ?? ""), nowMs) ?? []);
}

/** The nodes or pods that are asked for, as they are stored. @throws ApiError */
function selected({ context, info }: UsageCall, resource: Resource): unknown[] {
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
  const nodes = new Map(
    context.store
      .list(storePrefix(nodeResource.type, ""))
      .entries.map((entry) => [parseStoreKey(entry.key).name, entry] as const),
  );
  scraper.keepOnly(new Set(nodes.keys()));
  const targets = [...nodeNames].flatMap((name) => {
    const entry = nodes.get(name);
    return entry ? (kubeletTargetOf(name, decodeEntry(entry) as Node) ?? []) : [];
  });
  return scraper.observe(targets, signal);
}

/** @throws ApiError NotFound where one was asked for of which nothing is known. */
function answer(
  type: ResourceType,
  { info, context }: UsageCall,
  { items, accept }: { items: readonly UsageObject[]; accept: string | undefined },
): ApiResponse {
  const [only] = items;
  if (info.name !== "" && only === undefined) throw notFound(type, info.name);
  const form = negotiate(accept);
  if (form.as === "Table") {
    const writer = objectWriterFor({ type }, form, () => context.clock.nowMs());
    return jsonResponse(200, { ...writer.header(), metadata: {}, rows: items.map((item) => writer.item(item)) });
  }
  if (info.name !== "") return jsonResponse(200, only);
  return jsonResponse(200, { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata: {}, items });
}

import {
  type Binding,
  Binding as BindingSchema,
  conflict,
  describeSchema,
  invalid,
  isFeatureOn,
  nodes,
  notFound,
  observedGeneration,
  type Pod,
  pods,
  preconditionFailed,
  regionLabel,
  withCondition,
  zoneLabel,
  bindings,
} from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { fieldInvalid, fieldRequired } from "../http/refusals.ts";
import { decodeLeft } from "../request/decode-left.ts";
import { readPosted } from "../request/posted-object.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import type { Decision } from "../writes/commit.ts";
import { commitAdmitted, type PlannedWrite } from "../writes/commit-admitted.ts";

const decodable = { type: bindings, schema: BindingSchema, description: describeSchema(BindingSchema) };

/**
 * POST pods/{name}/binding, or POST bindings with the name in the body: binds a pod to a node,
 * once.
 */
export async function createBinding(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.request, call.info);
  const binding = readPosted(context, call, { decodable, options });
  const name = call.info.resource === "bindings" ? (binding.metadata.name ?? "") : call.info.name;
  validateBinding(binding, name);
  const namespace = call.info.namespace;
  const key = storeKey(pods, namespace, name);
  await commitAdmitted(context, {
    call,
    target: { key, resource: call.resource, dryRun: options.dryRun },
    operations: bindingOperations,
    subresource: "binding",
    begin: (current, reader) => beginBinding(context, { call, binding, name, dryRun: options.dryRun, reader }, current),
  });
  return jsonResponse(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

function validateBinding(binding: Binding, name: string): void {
  const { target } = binding;
  const problems = [];
  if ((target.kind ?? "") !== "" && target.kind !== "Node") {
    problems.push(fieldInvalid("target.kind", target.kind, 'must be empty or "Node"'));
  }
  if ((target.name ?? "") === "") problems.push(fieldRequired("target.name"));
  if (name === "") problems.push(fieldRequired("metadata.name"));
  if (problems.length > 0) throw invalid({ group: "", kind: "Binding" }, name, problems);
}

interface BindingInput {
  call: ResourceCall;
  binding: Binding;
  name: string;
  dryRun: boolean;
  reader: Pick<StoreReader, "find">;
}

const bindingOperations = ["create"] as const;
const bindingType = { group: "", resource: "pods/binding" };

function beginBinding(
  context: ServerContext,
  { call, binding, name, dryRun, reader }: BindingInput,
  current: Entry | undefined,
): PlannedWrite<undefined> {
  if (current === undefined) throw notFound(pods, name);
  const before = decodeEntry(current);
  checkPreconditions(binding, current, name);
  const planned: PlannedWrite<undefined> = {
    request: {
      operation: "create",
      ...requestedBy(call),
      resource: call.resource,
      subresource: "binding",
      namespace: call.info.namespace,
      name,
      object: binding,
      // A binding is created; the pod that it changes is not shown.
      before: undefined,
      dryRun,
      reader,
    },
    adopt: (left) => {
      const adopted = decodeLeft(left, decodable);
      validateBinding(adopted, name);
      return adopted;
    },
    settle: () => {},
    decide: () => decideBinding(context, before as Pod, { binding: planned.request.object as Binding, name, reader }),
  };
  return planned;
}

function decideBinding(
  context: ServerContext,
  pod: Pod,
  { binding, name, reader }: Pick<BindingInput, "binding" | "name" | "reader">,
): Decision<undefined> {
  const { spec, metadata } = pod;
  if (spec === undefined) throw conflict(bindingType, name, `pod ${name} has no spec`);
  if (metadata.deletionTimestamp !== undefined) {
    throw conflict(bindingType, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((spec.nodeName ?? "") !== "") {
    throw conflict(bindingType, name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  }
  if ((spec.schedulingGates?.length ?? 0) > 0) {
    throw conflict(bindingType, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  // The pod object is not changed, because the binding may have to be decided again.
  const bound: Pod = { ...pod, metadata: { ...metadata }, spec: { ...spec, nodeName: binding.target.name } };
  const { annotations, labels } = binding.metadata;
  if (annotations) bound.metadata.annotations = { ...metadata.annotations, ...annotations };
  const ofNode = isFeatureOn(context.options.features, "PodTopologyLabelsAdmission")
    ? topologyLabels(reader, binding.target.name ?? "")
    : {};
  if (labels !== undefined || Object.keys(ofNode).length > 0)
    bound.metadata.labels = { ...metadata.labels, ...labels, ...ofNode };
  const scheduled = { type: "PodScheduled", status: "True" as const, ...observedGeneration(pod) };
  const conditions = withCondition(pod.status?.conditions ?? [], scheduled, context.clock.nowMs());
  bound.status = { ...pod.status, conditions };
  // The binding makes a nomination obsolete, regardless of the node that it named.
  if (isFeatureOn(context.options.features, "ClearingNominatedNodeNameAfterBinding"))
    delete bound.status.nominatedNodeName;
  return { action: "put", object: bound, result: undefined };
}

/**
 * Returns the zone and the region of a node as labels, which pods on the node can read from their
 * own metadata.
 */
function topologyLabels(reader: Pick<StoreReader, "find">, nodeName: string): Record<string, string> {
  const entry = reader.find(storeKey(nodes, "", nodeName));
  const { labels = {} } = entry === undefined ? {} : decodeEntry(entry).metadata;
  return Object.fromEntries(
    [zoneLabel, regionLabel].flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])),
  );
}

function checkPreconditions(binding: Binding, current: Entry, name: string): void {
  const { uid = "", resourceVersion = "" } = binding.metadata;
  const actual = { uid: current.index.uid, resourceVersion: String(current.revision) };
  if (uid !== "" && uid !== actual.uid) {
    throw preconditionFailed(bindingType, name, { field: "UID", expected: uid, actual: actual.uid });
  }
  if (resourceVersion !== "" && resourceVersion !== actual.resourceVersion) {
    const expected = resourceVersion;
    throw preconditionFailed(bindingType, name, { field: "ResourceVersion", expected, actual: actual.resourceVersion });
  }
}

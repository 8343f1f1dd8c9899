import {
  type ApiError,
  forbidden,
  type Pod,
  pods,
  type PriorityClass,
  priorityClasses,
  systemPriorityClasses,
} from "@kintsugi/api";
import type { Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey, storePrefix, storeResource } from "../resources/keys.ts";
import { type AdmissionRequest, type AdmissionStep, createdObject } from "./admission.ts";

type Classes = Pick<Store, "list" | "lastRevisionOf">;

/**
 * Every pod has the priority of its class, which its author cannot override. There is at most one
 * default class (plugin/pkg/admission/priority).
 */
export function podPriority({ store }: { store: Classes }): AdmissionStep {
  const defaultClass = rememberDefaultClass(store);
  return {
    name: "Priority",
    handles: { operations: ["create", "update", "delete"], resources: [pods, priorityClasses] },
    mutate: (request) => {
      if (isPodUpdate(request)) return keepPriority(request);
      const pod = createdObject(request, pods);
      if (pod?.spec !== undefined) givePriority(pod, classOf(pod, request, defaultClass));
    },
    validate: (request) => (isAboutClass(request) ? refusalOfClass(request, store) : undefined),
  };
}

/**
 * The class that a pod names, or the default class; undefined if the pod does not name a class and
 * a default does not exist.
 */
function classOf(
  pod: Pod,
  { reader }: AdmissionRequest,
  defaultClass: () => PriorityClass | undefined,
): PriorityClass | undefined {
  const name = pod.spec?.priorityClassName ?? "";
  if (name === "") return defaultClass();
  const entry = reader.find(storeKey(priorityClasses, "", name));
  if (entry !== undefined) return asClass(entry);
  throw forbidden(pods, pod.metadata.name ?? "", `no PriorityClass with name ${name} was found`);
}

function givePriority({ metadata, spec }: Pod, priorityClass: PriorityClass | undefined): void {
  if (spec === undefined) return;
  const { value = 0, preemptionPolicy = "PreemptLowerPriority" } = priorityClass ?? {};
  if (spec.priority !== undefined && spec.priority !== value) {
    throw forbidden(pods, metadata.name ?? "", notAsComputed("integer value of priority", spec.priority, value));
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const because = notAsComputed("string value of PreemptionPolicy", spec.preemptionPolicy, preemptionPolicy);
    throw forbidden(pods, metadata.name ?? "", because);
  }
  if (priorityClass?.metadata.name !== undefined) spec.priorityClassName = priorityClass.metadata.name;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

function notAsComputed(what: string, given: string | number, computed: string | number): string {
  return `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
}

function isPodUpdate({ operation, resource, subresource }: AdmissionRequest): boolean {
  return operation === "update" && subresource === "" && resource.type.kind === pods.kind;
}

/** A client that replaces a pod may omit the computed fields. */
function keepPriority({ object, before }: AdmissionRequest): void {
  const [now, old] = [(object as Pod | undefined)?.spec, (before as Pod | undefined)?.spec];
  if (now === undefined || old === undefined) return;
  if (now.priority === undefined && old.priority !== undefined) now.priority = old.priority;
  if (now.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    now.preemptionPolicy = old.preemptionPolicy;
}

function isAboutClass({ resource }: AdmissionRequest): boolean {
  return resource.type.resource === priorityClasses.resource && resource.type.group === priorityClasses.group;
}

function refusalOfClass({ operation, name, object }: AdmissionRequest, store: Classes): ApiError | undefined {
  if (operation === "delete") {
    return systemPriorityClasses.some(({ metadata }) => metadata.name === name)
      ? forbidden(priorityClasses, name, "this is a system priority class and cannot be deleted")
      : undefined;
  }
  if (!(object as PriorityClass | undefined)?.globalDefault) return undefined;
  const other = defaultClasses(store).find(({ metadata }) => metadata.name !== object?.metadata.name);
  if (other === undefined) return undefined;
  const because = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`;
  return forbidden(priorityClasses, object?.metadata.name ?? "", because);
}

/**
 * Pods are created more often than classes change, so the default class is looked up once per
 * change.
 */
function rememberDefaultClass(store: Classes): () => PriorityClass | undefined {
  const resource = storeResource(priorityClasses);
  let revision = -1;
  let known: PriorityClass | undefined;
  return () => {
    const last = store.lastRevisionOf(resource);
    if (last !== revision) {
      // Two default classes can be made at the same time. The class with the lower value then
      // applies, as in upstream's `getDefaultPriorityClass`.
      known = defaultClasses(store).toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
      revision = last;
    }
    return known;
  };
}

function defaultClasses(store: Classes): PriorityClass[] {
  const { entries } = store.list(storePrefix(priorityClasses, ""));
  return entries.filter(({ index }) => index.fields?.["globalDefault"] === "true").map(asClass);
}

/** A stored object has passed the kind's schema, so it has the kind's shape. */
function asClass(entry: Entry): PriorityClass {
  return decodeEntry(entry) as PriorityClass;
}

import {
  type ApiError,
  compareQuantities,
  forbidden,
  type Pod,
  pods,
  type RuntimeClass,
  runtimeClasses,
  type Toleration,
} from "@kintsugi/api";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import { type AdmissionRequest, type AdmissionStep, createdObject } from "./admission.ts";

type PodSpec = NonNullable<Pod["spec"]>;

/**
 * A pod gets the overhead and the scheduling rules of its RuntimeClass, and has no overhead without
 * a RuntimeClass (plugin/pkg/admission/runtimeclass).
 */
export const runtimeClass: AdmissionStep = {
  name: "RuntimeClass",
  handles: { operations: ["create"], resources: [pods], subresources: [""] },
  mutate: (request) => {
    const pod = createdObject(request, pods);
    const found = pod?.spec && findClass(request, pod);
    if (pod?.spec === undefined || found === undefined) return;
    setOverhead(pod, pod.spec, found);
    setScheduling(pod, pod.spec, found);
  },
  validate: (request) => {
    const pod = createdObject(request, pods);
    return pod?.spec && refusalOfOverhead(pod, pod.spec, findClass(request, pod));
  },
};

/**
 * The class that the pod names; undefined if the pod does not name a class.
 * @throws ApiError where it does not exist.
 */
function findClass({ reader }: AdmissionRequest, pod: Pod): RuntimeClass | undefined {
  const name = pod.spec?.runtimeClassName;
  if (name === undefined) return undefined;
  const entry = reader.find(storeKey(runtimeClasses, "", name));
  if (entry === undefined) throw rejected(pod, `RuntimeClass ${JSON.stringify(name)} not found`);
  // A stored object has passed the kind's schema, so it has the kind's shape.
  return decodeEntry(entry) as RuntimeClass;
}

const differs = "Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function setOverhead(pod: Pod, spec: PodSpec, { overhead }: RuntimeClass): void {
  if (overhead === undefined) return;
  const amounts = overhead.podFixed ?? {};
  if (spec.overhead !== undefined && !isSameAmounts(spec.overhead, amounts)) throw rejected(pod, differs);
  spec.overhead = { ...amounts };
}

function setScheduling(pod: Pod, spec: PodSpec, { scheduling }: RuntimeClass): void {
  if (scheduling === undefined) return;
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value) {
      const texts = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
      throw rejected(pod, `conflict: ${texts}`);
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
  }
  const own = spec.tolerations ?? [];
  const known = new Set(own.map(tolerationText));
  const added = (scheduling.tolerations ?? []).filter((toleration) => !known.has(tolerationText(toleration)));
  if (added.length > 0) spec.tolerations = [...own, ...added];
}

function tolerationText({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  return JSON.stringify([key, operator, value, effect, tolerationSeconds]);
}

function refusalOfOverhead(pod: Pod, { overhead }: PodSpec, found: RuntimeClass | undefined): ApiError | undefined {
  if (found?.overhead === undefined) {
    const isSet = overhead !== undefined && Object.keys(overhead).length > 0;
    return isSet ? rejected(pod, "Pod Overhead set without corresponding RuntimeClass defined Overhead") : undefined;
  }
  return isSameAmounts(overhead ?? {}, found.overhead.podFixed ?? {}) ? undefined : rejected(pod, differs);
}

function isSameAmounts(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [amount, other] = [a[name], b[name]];
    return amount !== undefined && other !== undefined && compareQuantities(amount, other) === 0;
  });
}

function rejected(pod: Pod, because: string): ApiError {
  return forbidden(pods, pod.metadata.name ?? "", `pod rejected: ${because}`);
}

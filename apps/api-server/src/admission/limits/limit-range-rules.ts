import {
  type ApiObject,
  type Container,
  type ExactQuantity,
  formatQuantity,
  type LimitRange,
  type LimitRangeItem,
  type PersistentVolumeClaim,
  type Pod,
} from "@kintsugi/api";
import { parseAmounts } from "@kintsugi/rules";

// The rules of one LimitRange, in upstream's words (plugin/pkg/admission/limitranger). Upstream
// checks resources in the random order of Go's maps; here they are sorted.

type Quantities = Readonly<Record<string, string>>;

const annotation = "kubernetes.io/limit-ranger";

/**
 * Containers that state no request or limit get the range's defaults, which an annotation lists.
 */
export function giveDefaults(pod: Pod, { spec }: LimitRange): void {
  const items = (spec?.limits ?? []).filter(({ type }) => type === "Container");
  const requests = Object.assign({}, ...items.map((item) => item.defaultRequest)) as Quantities;
  const limits = Object.assign({}, ...items.map((item) => item.default)) as Quantities;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const notes = [
    ...containers.flatMap((container) => complete(container, { requests, limits }, "container")),
    ...initContainers.flatMap((container) => complete(container, { requests, limits }, "init container")),
  ];
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

function complete(container: Container, defaults: Record<"requests" | "limits", Quantities>, what: string): string[] {
  return (["requests", "limits"] as const).flatMap((part) => {
    const own = container.resources?.[part] ?? {};
    const missing = Object.keys(defaults[part])
      .filter((name) => !Object.hasOwn(own, name))
      .toSorted();
    if (missing.length === 0) return [];
    const added = missing.map((name) => [name, defaults[part][name]]);
    container.resources = { ...container.resources, [part]: { ...own, ...Object.fromEntries(added) } };
    return [`${missing.join(", ")} ${part.slice(0, -1)} for ${what} ${container.name}`];
  });
}

/**
 * Returns the violations of one item of a range by a pod's containers, or by all containers
 * together.
 */
export function podFaults(item: LimitRangeItem, { spec }: Pod): string[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  if (item.type === "Container") {
    return [...containers, ...initContainers].flatMap(({ resources = {} }) =>
      faultsOf(item, { requests: parseAmounts(resources.requests), limits: parseAmounts(resources.limits) }),
    );
  }
  if (item.type !== "Pod") return [];
  return faultsOf(item, {
    requests: podTotal(containers, initContainers, "requests"),
    limits: podTotal(containers, initContainers, "limits"),
  });
}

export function claimFaults(item: LimitRangeItem, claim: ApiObject): string[] {
  if (item.type !== "PersistentVolumeClaim") return [];
  const requests = parseAmounts((claim as PersistentVolumeClaim).spec?.resources?.requests);
  const stated = { requests, limits: new Map<string, ExactQuantity>() };
  return [
    ...ofEach(item.min, (name, least) => leastFault({ name, type: item.type }, least, stated)),
    ...ofEach(item.max, (name, most) => {
      const request = requests.get(name);
      const bound = `maximum ${name} usage per ${item.type} is ${formatQuantity(most)}`;
      if (request === undefined) return `${bound}.  No request is specified`;
      return request.nanos > most.nanos ? `${bound}, but request is ${formatQuantity(request)}` : undefined;
    }),
  ];
}

type ExactAmounts = ReadonlyMap<string, ExactQuantity>;

interface Stated {
  requests: ExactAmounts;
  limits: ExactAmounts;
}

interface Subject {
  name: string;
  type: string;
}

function faultsOf(item: LimitRangeItem, stated: Stated): string[] {
  const { type } = item;
  return [
    ...ofEach(item.min, (name, least) => leastFault({ name, type }, least, stated)),
    ...ofEach(item.max, (name, most) => mostFault({ name, type }, most, stated)),
    ...ofEach(item.maxLimitRequestRatio, (name, ratio) => ratioFault({ name, type }, ratio, stated)),
  ];
}

function leastFault({ name, type }: Subject, least: ExactQuantity, stated: Stated): string | undefined {
  const [request, limit] = [stated.requests.get(name), stated.limits.get(name)];
  const bound = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  if (request === undefined) return `${bound}.  No request is specified`;
  if (request.nanos < least.nanos) return `${bound}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && limit.nanos < least.nanos) return `${bound}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function mostFault({ name, type }: Subject, most: ExactQuantity, stated: Stated): string | undefined {
  const [request, limit] = [stated.requests.get(name), stated.limits.get(name)];
  const bound = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  if (limit === undefined) return `${bound}.  No limit is specified`;
  if (limit.nanos > most.nanos) return `${bound}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && request.nanos > most.nanos) return `${bound}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function ratioFault({ name, type }: Subject, most: ExactQuantity, stated: Stated): string | undefined {
  const [request, limit] = [stated.requests.get(name)?.nanos ?? 0n, stated.limits.get(name)?.nanos ?? 0n];
  const bound = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
  if (request === 0n) return `${bound}, but no request is specified or request is 0`;
  if (limit === 0n) return `${bound}, but no limit is specified or limit is 0`;
  // limit / request > most, without a division
  if (limit * 1_000_000_000n <= most.nanos * request) return undefined;
  return `${bound}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(6)}`;
}

function ofEach(
  bounds: Quantities | undefined,
  judge: (name: string, bound: ExactQuantity) => string | undefined,
): string[] {
  return [...parseAmounts(bounds)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bound]) => judge(name, bound))
    .filter((fault) => fault !== undefined);
}

/**
 * The sum of the containers and sidecars, or the largest init container if that is more. A resource
 * that a container does not set has no sum, as in upstream's `sum`.
 */
function podTotal(
  containers: readonly Container[],
  initContainers: readonly Container[],
  part: "requests" | "limits",
): ExactAmounts {
  const stated = containers.map(({ resources }) => parseAmounts(resources?.[part]));
  const names = new Set(stated.flatMap((amounts) => [...amounts.keys()]));
  const total = new Map<string, ExactQuantity>();
  for (const name of names) {
    const amounts = stated.map((each) => each.get(name));
    if (amounts.includes(undefined)) continue;
    const nanos = amounts.reduce((sum, amount) => sum + (amount?.nanos ?? 0n), 0n);
    total.set(name, { nanos, format: amounts[0]?.format ?? "DecimalSI" });
  }
  const sidecars = new Map<string, bigint>();
  for (const { resources, restartPolicy } of initContainers) {
    for (const [name, { nanos, format }] of parseAmounts(resources?.[part])) {
      const beside = sidecars.get(name) ?? 0n;
      const known = total.get(name);
      if (restartPolicy === "Always") {
        sidecars.set(name, beside + nanos);
        total.set(name, { nanos: (known?.nanos ?? 0n) + nanos, format: known?.format ?? format });
      } else if (nanos + beside > (known?.nanos ?? 0n)) {
        total.set(name, { nanos: nanos + beside, format: known?.format ?? format });
      }
    }
  }
  return total;
}

import type { ResourceRequirements } from "../spec/resources.ts";
import { checkQualifiedName } from "../../../../values/names.ts";
import { parseQuantity } from "../../../../values/quantity.ts";
import { isExtendedResource, isNativeResource } from "../../../../values/resource-names.ts";
import type { Faults } from "../../../../validation/faults.ts";

/**
 * Validates a container's requests and limits; `claims` are the names of the pod's resource claims.
 */
export function validateResources(
  resources: ResourceRequirements,
  context: { path: string; claims: ReadonlySet<string> },
  faults: Faults,
): void {
  const { path, claims } = context;
  const { limits = {}, requests = {} } = resources;
  validateAmounts(limits, `${path}.limits`, faults);
  validateAmounts(requests, `${path}.requests`, faults);
  for (const [name, request] of Object.entries(requests)) {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    validateRequest({ name, request, limit }, `${path}.requests`, faults);
  }
  for (const [index, claim] of (resources.claims ?? []).entries()) {
    if (claim.name === "") faults.required(`${path}.claims[${index}]`);
    else if (!claims.has(claim.name)) faults.notFound(`${path}.claims[${index}]`, claim.name);
  }
}

/** Quantities of resources that nodes have: names, signs and whole numbers. */
export function validateQuantities(quantities: Readonly<Record<string, string>>, path: string, faults: Faults): void {
  for (const [name, quantity] of Object.entries(quantities))
    validateQuantity(name, { quantity, path: `${path}.${name}` }, faults);
}

interface Request {
  name: string;
  request: string;
  limit: string | undefined;
}

function validateRequest({ name, request, limit }: Request, path: string, faults: Faults): void {
  if (limit === undefined) {
    if (!isOvercommitable(name)) faults.required(path, "Limit must be set for non overcommitable resources");
    return;
  }
  if (request === limit) return;
  const [asked, most] = [parseQuantity(request).nanos, parseQuantity(limit).nanos];
  if (!isOvercommitable(name) && asked !== most) {
    faults.invalid(path, request, `must be equal to ${name} limit of ${limit}`);
  } else if (asked > most) faults.invalid(path, request, `must be less than or equal to ${name} limit of ${limit}`);
}

function validateAmounts(amounts: Readonly<Record<string, string>>, path: string, faults: Faults): void {
  for (const [name, quantity] of Object.entries(amounts)) {
    // Most requests are cpu and memory in plain digits, which are always valid.
    if ((name === "cpu" || name === "memory") && /^[0-9]+(?:m|[KMG]i)?$/.test(quantity)) continue;
    const at = `${path}[${name}]`;
    validateContainerResourceName(name, at, faults);
    validateQuantity(name, { quantity, path: at }, faults);
  }
}

function validateQuantity(name: string, { quantity, path }: { quantity: string; path: string }, faults: Faults): void {
  const { nanos } = parseQuantity(quantity);
  if (nanos < 0n) faults.invalid(path, quantity, "must be greater than or equal to 0");
  const whole = isExtendedResource(name) || name === "pods" || name === "services";
  if (whole && nanos % 1_000_000_000n !== 0n) faults.invalid(path, quantity, "must be an integer");
}

const standardContainerResources = new Set(["cpu", "memory", "ephemeral-storage"]);

const standardResources = new Set([
  ...standardContainerResources,
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);

/**
 * Follows ValidateResourceName of pkg/apis/core/validation; the result is false for a malformed
 * name.
 */
export function validateResourceName(name: string, path: string, faults: Faults): boolean {
  const problems = checkQualifiedName(name);
  faults.invalidEach(path, name, problems);
  if (problems.length > 0) return false;
  const isHugePages = name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
  if (!name.includes("/") && !standardResources.has(name) && !isHugePages) {
    faults.invalid(path, name, "must be a standard resource type or fully qualified");
  }
  return true;
}

/** Follows ValidateContainerResourceName of pkg/apis/core/v1/validation. */
export function validateContainerResourceName(name: string, path: string, faults: Faults): void {
  if (!validateResourceName(name, path, faults)) return;
  const isHugePages = name.startsWith("hugepages-");
  if (!name.includes("/")) {
    if (!standardContainerResources.has(name) && !isHugePages) {
      faults.invalid(path, name, "must be a standard resource for containers");
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    faults.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

/** Reports whether a resource can be overcommitted; devices and huge pages cannot. */
export function isOvercommitable(name: string): boolean {
  return isNativeResource(name) && !name.startsWith("hugepages-");
}

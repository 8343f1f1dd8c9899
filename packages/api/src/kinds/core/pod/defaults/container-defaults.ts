import { formatQuantity, milliUnits, parseQuantity } from "../../../../values/quantity.ts";
import type { Container } from "../spec/container.ts";
import type { Probe } from "../spec/probe.ts";
import type { LifecycleHandler } from "../spec/probe.ts";

/** Fields that ephemeral containers share with other containers. */
type AnyContainer = Pick<Container, (typeof defaultedMembers)[number]>;

const defaultedMembers = [
  "image",
  "imagePullPolicy",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "resources",
  "ports",
  "env",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/** Sets upstream's defaults; changes the container in place. */
export function setContainerDefaults(container: AnyContainer): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image ?? "");
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.resources ??= {};
  roundToMilli(container.resources.limits);
  roundToMilli(container.resources.requests);
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const variable of container.env ?? []) setFieldReferenceDefaults(variable.valueFrom?.fieldRef);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHandlerDefaults(container.lifecycle?.postStart);
  setHandlerDefaults(container.lifecycle?.preStop);
}

/**
 * `latest` may become another image at any time, while an image with a fixed version is worth
 * keeping.
 */
export function pullPolicyFor(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

export function setFieldReferenceDefaults(reference: { apiVersion?: string | undefined } | undefined): void {
  if (reference !== undefined) reference.apiVersion ||= "v1";
}

/** The request of a resource defaults to its limit. */
export function requestWhatIsLimited(resources: Container["resources"]): void {
  if (resources?.limits === undefined) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** Resources are counted in thousandths; finer amounts are rounded up. */
export function roundToMilli(quantities: Record<string, string> | undefined): void {
  for (const [name, quantity] of Object.entries(quantities ?? {})) {
    if (/[nu]$|e-/i.test(quantity) && quantities !== undefined) {
      const { format } = parseQuantity(quantity);
      quantities[name] = formatQuantity({ nanos: BigInt(milliUnits(quantity)) * 1_000_000n, format });
    }
  }
}

function imageTag(image: string): string {
  const [reference = "", digest] = image.split("@", 2);
  const colon = reference.indexOf(":", reference.lastIndexOf("/") + 1);
  if (colon >= 0) return reference.slice(colon + 1);
  return digest === undefined ? "latest" : "";
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.grpc !== undefined) probe.grpc.service ??= "";
  setHandlerDefaults(probe);
}

function setHandlerDefaults(handler: Pick<LifecycleHandler, "httpGet"> | undefined): void {
  if (handler?.httpGet === undefined) return;
  handler.httpGet.path ||= "/";
  handler.httpGet.scheme ||= "HTTP";
}

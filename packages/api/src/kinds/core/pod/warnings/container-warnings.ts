import type { Container, ContainerPort } from "../spec/container.ts";
import type { EnvVar } from "../spec/env.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import { fractionalBytesWarnings } from "./fractional-bytes.ts";

type AnyContainer = Pick<Container, "name" | "env" | "ports" | "resources" | "securityContext" | "restartPolicy">;

/** A container of one of the three lists, and its path. */
export interface PlacedContainer {
  readonly container: AnyContainer;
  readonly path: string;
  /** The container runs together with the main containers: it is a main container or a sidecar. */
  readonly staysOn: boolean;
}

/** Returns all containers of a pod in upstream's order. */
export function placedContainers(spec: PodSpec, path: string): PlacedContainer[] {
  const place = (list: readonly AnyContainer[] = [], name: string) =>
    list.map((container, i) => {
      const staysOn = name !== "initContainers" || container.restartPolicy === "Always";
      return { container, path: `${path}.${name}[${i}]`, staysOn };
    });
  return [
    ...place(spec.initContainers, "initContainers"),
    ...place(spec.containers, "containers"),
    ...place(spec.ephemeralContainers, "ephemeralContainers"),
  ];
}

/** Returns the warnings about the resources and variables of one container. */
export function containerWarnings({ container, path }: PlacedContainer): string[] {
  const { requests, limits } = container.resources ?? {};
  const warnings = ["memory", "ephemeral-storage"].flatMap((name) => [
    ...fractionalBytesWarnings(limits, [name], `${path}.resources.limits`),
    ...fractionalBytesWarnings(requests, [name], `${path}.resources.requests`),
  ]);
  const defined = new Set<string>();
  container.env?.forEach((variable, i) => {
    if (defined.has(variable.name) && !extendsEarlier(variable))
      warnings.push(
        `${path}.env[${i}]: hides previous definition of ${JSON.stringify(variable.name)}, which may be dropped when using apply`,
      );
    defined.add(variable.name);
  });
  return warnings;
}

/** A second definition is intended if its value refers to the first: PATH="$(PATH):/more". */
function extendsEarlier({ name, value = "", valueFrom }: EnvVar): boolean {
  const reference = `$(${name})`;
  return valueFrom === undefined && value !== reference && value.includes(reference);
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: string;
  readonly staysOn: boolean;
}

/** Returns the warnings about the ports of all containers of a pod. */
export function portWarnings(containers: readonly PlacedContainer[]): string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, PlacedPort[]>();
  const ports = containers.flatMap(({ container, path, staysOn }) =>
    (container.ports ?? []).map((port, i) => ({ port, path: `${path}.ports[${i}]`, staysOn })),
  );
  for (const placed of ports) {
    if (warnings.length >= portWarningsMax) break;
    const { port, path } = placed;
    if (hostIpOf(port) !== "" && hostPortOf(port) === 0)
      warnings.push(`${path}: hostIP set without hostPort: ${formatPort(port)}`);
    const number = `${port.containerPort}/${port.protocol ?? ""}`;
    const others = byNumber.get(number) ?? [];
    // Later ports are compared only with the first definitions, so a pod with many equal ports gets
    // one warning for each port.
    for (const other of others.slice(0, comparedPortsMax)) {
      const relation = relationOf(port, other.port);
      if (relation !== undefined) warnings.push(`${path}: ${relation} port definition with ${other.path}`);
    }
    byNumber.set(number, [...others.slice(0, comparedPortsMax), placed]);
  }
  return [...warnings, ...portNameWarnings(ports.filter(({ staysOn }) => staysOn))];
}

/** Maximum number of warnings about ports, because a response has little space for them. */
const portWarningsMax = 64;

/**
 * Maximum number of definitions of one port that are compared, so that a pod never takes quadratic
 * time.
 */
const comparedPortsMax = 16;

function relationOf(port: ContainerPort, other: ContainerPort): string | undefined {
  const [ip, otherIp] = [hostIpOf(port), hostIpOf(other)];
  const [number, otherNumber] = [hostPortOf(port), hostPortOf(other)];
  if (ip === otherIp && number === otherNumber) return "duplicate";
  if (number === 0 || otherNumber === 0) return "overlapping";
  return number === otherNumber && (ip === "") !== (otherIp === "") ? "dangerously ambiguous" : undefined;
}

function portNameWarnings(ports: readonly PlacedPort[]): string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ port: { name = "" }, path }) => {
    const other = first.get(name);
    if (name !== "" && other === undefined) first.set(name, path);
    if (other === undefined) return [];
    const use = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`];
  });
}

const hostIpOf = ({ hostIP = "" }: ContainerPort): string => hostIP;
const hostPortOf = ({ hostPort = 0 }: ContainerPort): number => hostPort;

/** Formats a port like Go's %+v. */
function formatPort(port: ContainerPort): string {
  const { name = "", containerPort, protocol = "" } = port;
  return `{Name:${name} HostPort:${hostPortOf(port)} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIpOf(port)}}`;
}

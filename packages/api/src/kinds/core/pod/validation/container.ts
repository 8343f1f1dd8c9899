import type { Container } from "../spec/container.ts";
import { checkLabel1123, checkPortName, checkPortNumber } from "../../../../values/names.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validateResources } from "./resources.ts";
import { validateContainerSecurity } from "./security-context.ts";
import { validateMounts, type VolumesByName } from "./volumes/volume-mounts.ts";

/** The facts about a pod on which its containers' rules depend. */
export interface PodContext {
  volumes: VolumesByName;
  /** Names of the pod's resource claims. */
  claims: ReadonlySet<string>;
  restartPolicy: string;
  /** The pod shares the node's user namespace. */
  hostUsers: boolean;
  graceSeconds: number | undefined;
  /** Unlike in a pod, the image in a template may have surrounding blanks. */
  isTemplate: boolean;
}

export type ContainerPlace = PodContext & { path: string };

/** Validates the rules that apply to containers of every type. */
export function validateContainer(container: Container, at: ContainerPlace, faults: Faults): void {
  const { path } = at;
  const { name, image = "" } = container;
  if (name === "") faults.required(`${path}.name`);
  else faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
  if (image === "") faults.required(`${path}.image`);
  else if (!at.isTemplate && image.trim() !== image) {
    faults.invalid(`${path}.image`, image, "must not have leading or trailing whitespace");
  }
  faults.oneOf(`${path}.terminationMessagePolicy`, container.terminationMessagePolicy, [
    "File",
    "FallbackToLogsOnError",
  ]);
  if (container.ports !== undefined) validatePorts(container.ports, `${path}.ports`, faults);
  if (container.env !== undefined) validateEnv(container.env, `${path}.env`, faults);
  if (container.envFrom !== undefined) validateEnvFrom(container.envFrom, `${path}.envFrom`, faults);
  validateMounts(container, at, faults);
  faults.oneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, ["Always", "IfNotPresent", "Never"]);
  if (container.resources !== undefined) {
    validateResources(container.resources, { path: `${path}.resources`, claims: at.claims }, faults);
  }
  validateResizePolicy(container, at, faults);
  if (container.securityContext !== undefined) {
    validateContainerSecurity(
      container.securityContext,
      { path: `${path}.securityContext`, hostUsers: at.hostUsers },
      faults,
    );
  }
}

const protocols = ["SCTP", "TCP", "UDP"];

function validatePorts(ports: NonNullable<Container["ports"]>, path: string, faults: Faults): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const { name = "", containerPort, hostPort = 0 } = port;
    if (name !== "") {
      const problems = checkPortName(name);
      faults.invalidEach(`${at}.name`, name, problems);
      if (problems.length === 0 && names.has(name)) faults.duplicate(`${at}.name`, name);
      names.add(name);
    }
    if (containerPort === 0) faults.required(`${at}.containerPort`);
    else faults.invalidEach(`${at}.containerPort`, containerPort, checkPortNumber(containerPort));
    if (hostPort !== 0) faults.invalidEach(`${at}.hostPort`, hostPort, checkPortNumber(hostPort));
    faults.oneOf(`${at}.protocol`, port.protocol, protocols);
  }
}

/** Host ports that two containers would both use. */
export function validateHostPortConflicts(containers: readonly Container[], path: string, faults: Faults): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [place, { hostPort = 0, hostIP = "", protocol = "" }] of (container.ports ?? []).entries()) {
      if (hostPort === 0) continue;
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) faults.duplicate(`${path}[${index}].ports[${place}].hostPort`, port);
      taken.add(port);
    }
  }
}

function validateResizePolicy(container: Container, at: ContainerPlace, faults: Faults): void {
  const path = `${at.path}.resizePolicy`;
  const seen = new Set<string>();
  for (const [index, { resourceName, restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(resourceName)) faults.duplicate(`${path}[${index}]`, resourceName);
    seen.add(resourceName);
    faults.oneOf(path, resourceName, ["cpu", "memory"]);
    faults.oneOf(path, restartPolicy, ["NotRequired", "RestartContainer"]);
    if (at.restartPolicy === "Never" && restartPolicy !== "NotRequired") {
      faults.invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

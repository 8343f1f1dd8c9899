import type { Container } from "../spec/container.ts";
import type { EnvVar, EnvVarSource, FileKeySelector, ObjectFieldSelector, ResourceFieldSelector } from "../spec/env.ts";
import {
  checkConfigKey,
  checkEnvironmentName,
  checkLabel1123,
  checkQualifiedName,
  checkSubdomain1123,
} from "../../../../values/names.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateFilePath } from "../../../../validation/file-paths.ts";

export function validateEnv(variables: Container["env"], path: string, faults: Faults): void {
  for (const [index, variable] of (variables ?? []).entries()) {
    const at = `${path}[${index}]`;
    if (variable.name === "") faults.required(`${at}.name`);
    else faults.invalidEach(`${at}.name`, variable.name, checkEnvironmentName(variable.name));
    if (variable.valueFrom !== undefined) validateSource(variable, `${at}.valueFrom`, faults);
  }
}

export function validateEnvFrom(sources: Container["envFrom"], path: string, faults: Faults): void {
  for (const [index, source] of (sources ?? []).entries()) {
    const at = `${path}[${index}]`;
    if (source.prefix !== undefined && source.prefix !== "") {
      faults.invalidEach(`${at}.prefix`, source.prefix, checkEnvironmentName(source.prefix));
    }
    const { configMapRef, secretRef } = source;
    if (configMapRef !== undefined) validateReference(configMapRef.name, `${at}.configMapRef.name`, faults);
    if (secretRef !== undefined) validateReference(secretRef.name, `${at}.secretRef.name`, faults);
    if (configMapRef === undefined && secretRef === undefined) {
      faults.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      faults.invalid(path, "", "may not have more than one field specified at a time");
    }
  }
}

/** Fields of the pod that a file of a downwardAPI volume may contain. */
export const volumeFieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** Fields of the pod that a variable may contain. */
const variableFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

export function validateFieldReference(
  reference: ObjectFieldSelector,
  context: { path: string; fieldPaths: readonly string[] },
  faults: Faults,
): void {
  const { path, fieldPaths } = context;
  const { apiVersion = "", fieldPath } = reference;
  if (apiVersion === "") return faults.required(`${path}.apiVersion`);
  if (fieldPath === "") return faults.required(`${path}.fieldPath`);
  if (apiVersion !== "v1") {
    const detail = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    return faults.invalid(`${path}.fieldPath`, fieldPath, detail);
  }
  const subscripted = /^(?<field>[^[]+)\['(?<key>.*)'\]$/s.exec(fieldPath)?.groups;
  if (subscripted === undefined) {
    const known = convertible.has(fieldPath);
    if (!known) {
      const detail = `error converting fieldPath: field label not supported: ${fieldPath}`;
      faults.invalid(`${path}.fieldPath`, fieldPath, detail);
    } else if (!fieldPaths.includes(fieldPath)) faults.notSupported(`${path}.fieldPath`, fieldPath, fieldPaths);
    return;
  }
  const { field = "", key = "" } = subscripted;
  if (field === "metadata.annotations")
    faults.invalidEach(path, key.toLowerCase(), checkQualifiedName(key.toLowerCase()));
  else if (field === "metadata.labels") faults.invalidEach(path, key, checkQualifiedName(key));
  else {
    const detail = `error converting fieldPath: field label does not support subscript: ${fieldPath}`;
    faults.invalid(`${path}.fieldPath`, fieldPath, detail);
  }
}

const convertible = new Set([
  ...variableFieldPaths,
  ...volumeFieldPaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

const resourcePaths = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/**
 * A file of a volume must name the container to whose resources it refers; a variable refers to the
 * resources of its own container.
 */
export function validateResourceReference(
  reference: ResourceFieldSelector,
  context: { path: string; inVolume: boolean },
  faults: Faults,
): void {
  const { path, inVolume } = context;
  const { resource, containerName = "" } = reference;
  if (inVolume && containerName === "") faults.required(`${path}.containerName`);
  else if (resource === "") faults.required(`${path}.resource`);
  else if (!resourcePaths.includes(resource) && !/^(?:requests|limits)\.hugepages-/.test(resource)) {
    faults.notSupported(`${path}.resource`, resource, resourcePaths);
  }
  validateDivisor(reference, path, faults);
}

const sizes = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

function validateDivisor({ resource, divisor = "0" }: ResourceFieldSelector, path: string, faults: Faults): void {
  if (divisor === "0") return;
  const name = resource.replace(/^(?:limits|requests)\./, "");
  const isCpu = name === "cpu";
  const allowed = isCpu ? ["1m", "1"] : sizes;
  if (allowed.includes(divisor)) return;
  const subject = { cpu: "cpu", memory: "memory", "ephemeral-storage": "local ephemeral storage" }[name] ?? "hugepages";
  const values = isCpu ? "1m and 1" : sizes.join(", ");
  faults.invalid(
    `${path}.divisor`,
    resource,
    `only divisor's values ${values} are supported with the ${subject} resource`,
  );
}

function validateSource({ value = "", valueFrom = {} }: EnvVar, path: string, faults: Faults): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    validateFieldReference(fieldRef, { path: `${path}.fieldRef`, fieldPaths: variableFieldPaths }, faults);
  }
  if (resourceFieldRef !== undefined) {
    validateResourceReference(resourceFieldRef, { path: `${path}.resourceFieldRef`, inVolume: false }, faults);
  }
  if (configMapKeyRef !== undefined) validateKeyReference(configMapKeyRef, `${path}.configMapKeyRef`, faults);
  if (secretKeyRef !== undefined) validateKeyReference(secretKeyRef, `${path}.secretKeyRef`, faults);
  if (fileKeyRef !== undefined) validateFileReference(fileKeyRef, `${path}.fileKeyRef`, faults);
  const sources = [
    fieldRef,
    resourceFieldRef,
    configMapKeyRef,
    secretKeyRef,
    fileKeyRef,
  ] satisfies EnvVarSource[keyof EnvVarSource][];
  const count = sources.filter((source) => source !== undefined).length;
  if (count === 0) {
    faults.invalid(
      path,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value !== "") faults.invalid(path, "", "may not be specified when `value` is not empty");
  else if (count > 1) faults.invalid(path, "", "may not have more than one field specified at a time");
}

function validateKeyReference(
  reference: { name?: string | undefined; key: string },
  path: string,
  faults: Faults,
): void {
  faults.invalidEach(`${path}.name`, reference.name ?? "", checkSubdomain1123(reference.name ?? ""));
  if (reference.key === "") faults.required(`${path}.key`);
  else faults.invalidEach(`${path}.key`, reference.key, checkConfigKey(reference.key));
}

/** Upstream's limit of a key in a file. */
const fileKeyLengthMax = 128;

function validateFileReference({ key, volumeName, path: file }: FileKeySelector, path: string, faults: Faults): void {
  if (key === "") faults.required(`${path}.key`);
  else if (key.length > fileKeyLengthMax) faults.tooLong(`${path}.key`, fileKeyLengthMax);
  else faults.invalidEach(`${path}.key`, key, checkEnvironmentName(key));
  if (volumeName === "") faults.required(`${path}.volumeName`);
  else faults.invalidEach(`${path}.volumeName`, volumeName, checkLabel1123(volumeName));
  if (file === "") faults.required(`${path}.path`);
  else validateFilePath(file, `${path}.path`, faults);
}

/**
 * Files with variables must be in the pod's emptyDir volumes, because the kubelet does not read
 * other volumes for a container that does not mount it.
 */
export function validateEnvFiles(spec: PodSpec, path: string, faults: Faults): void {
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    for (const [place, { env = [] }] of (spec[list] ?? []).entries()) {
      for (const [index, { valueFrom }] of env.entries()) {
        const volumeName = valueFrom?.fileKeyRef?.volumeName ?? "";
        if (volumeName === "") continue;
        const field = `${path}.${list}[${place}].env[${index}].valueFrom.fileKeyRef.volumeName`;
        const volume = spec.volumes?.find(({ name }) => name === volumeName);
        if (volume === undefined) faults.notFound(field, volumeName);
        else if (volume.emptyDir === undefined)
          faults.invalid(field, volumeName, "referenced volume must be of type emptyDir");
      }
    }
  }
}

function validateReference(name: string | undefined, path: string, faults: Faults): void {
  if (name === undefined || name === "") faults.required(path);
  else faults.invalidEach(path, name, checkSubdomain1123(name));
}

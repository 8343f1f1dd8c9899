import type { Container, VolumeMount } from "../../spec/container.ts";
import type { Volume } from "../../volumes/volume.ts";
import type { Faults } from "../../../../../validation/faults.ts";
import { validateDescendingPath } from "../../../../../validation/file-paths.ts";

export type VolumesByName = ReadonlyMap<string, Volume>;

type Mounting = Pick<Container, "volumeMounts" | "volumeDevices" | "securityContext">;

export function validateMounts(
  container: Mounting,
  context: { path: string; volumes: VolumesByName },
  faults: Faults,
): void {
  const { path, volumes } = context;
  const devices = container.volumeDevices ?? [];
  const mountPaths = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const place = `${path}.volumeMounts[${index}]`;
    if (mount.name === "") faults.required(`${place}.name`);
    const volume = volumes.get(mount.name);
    if (volume === undefined) faults.notFound(`${place}.name`, mount.name);
    if (mount.mountPath === "") faults.required(`${place}.mountPath`);
    if (mountPaths.has(mount.mountPath)) faults.invalid(`${place}.mountPath`, mount.mountPath, "must be unique");
    mountPaths.add(mount.mountPath);
    if (devices.some((device) => device.name === mount.name)) {
      faults.invalid(`${place}.name`, mount.name, "must not already exist in volumeDevices");
    }
    if (devices.some((device) => device.devicePath === mount.mountPath)) {
      faults.invalid(`${place}.mountPath`, mount.mountPath, "must not already exist as a path in volumeDevices");
    }
    validateSubPaths(mount, place, faults);
    validatePropagation(mount, { path: `${path}.volumeMounts`, container }, faults);
  }
  validateDevices(container, context, faults);
}

function validateSubPaths(mount: VolumeMount, path: string, faults: Faults): void {
  const { subPath = "", subPathExpr = "" } = mount;
  if (subPath !== "") validateDescendingPath(subPath, `${path}.subPath`, faults);
  if (subPathExpr === "") return;
  if (subPath !== "") {
    faults.invalid(`${path}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
  }
  validateDescendingPath(subPathExpr, `${path}.subPathExpr`, faults);
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function validatePropagation(mount: VolumeMount, context: { path: string; container: Mounting }, faults: Faults): void {
  const { mountPropagation, recursiveReadOnly } = mount;
  if (mountPropagation !== undefined && !propagations.includes(mountPropagation)) {
    faults.notSupported(`${context.path}.mountPropagation`, mountPropagation, propagations);
  }
  if (mountPropagation === "Bidirectional" && context.container.securityContext?.privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    faults.forbidden(`${context.path}.mountPropagation`, detail);
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return;
  const field = `${context.path}.recursiveReadOnly`;
  if (recursiveReadOnly !== "IfPossible" && recursiveReadOnly !== "Enabled") {
    return faults.notSupported(field, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"]);
  }
  if (mount.readOnly !== true) faults.forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    faults.forbidden(field, "may only be specified when mountPropagation is None or not specified");
  }
}

function validateDevices(container: Mounting, context: { path: string; volumes: VolumesByName }, faults: Faults): void {
  const mounts = container.volumeMounts ?? [];
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
    const place = `${context.path}.volumeDevices[${index}]`;
    const volume = context.volumes.get(name);
    if (name === "") faults.required(`${place}.name`);
    if (names.has(name)) faults.invalid(`${place}.name`, name, "must be unique");
    if (volume === undefined) faults.notFound(`${place}.name`, name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      faults.invalid(`${place}.name`, name, detail);
    }
    if (devicePath === "") faults.required(`${place}.devicePath`);
    if (paths.has(devicePath)) faults.invalid(`${place}.devicePath`, devicePath, "must be unique");
    if (devicePath.split("/").includes("..")) {
      faults.invalid(`${place}.devicePath`, devicePath, "can not contain backsteps ('..')");
    }
    if (mounts.some((mount) => mount.name === name)) {
      faults.invalid(`${place}.name`, name, "must not already exist in volumeMounts");
    }
    if (mounts.some((mount) => mount.mountPath === devicePath)) {
      faults.invalid(`${place}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    }
    names.add(name);
    paths.add(devicePath);
  }
}

import { isAbsolute, normalize } from "node:path";
import type { ContainerConfig, Mount } from "@kintsugi/cri";
import type { CdiMount, ContainerEdits, CdiDeviceNode } from "./cdi-spec.ts";

/** The part of a container's configuration that its devices require. */
export interface CriDeviceParts {
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly mounts: readonly Mount[];
  readonly devices: ContainerConfig["devices"];
  /** Names of devices that the runtime applies itself. */
  readonly cdiDevices: readonly string[];
}

export const noDevices: CriDeviceParts = { env: [], mounts: [], devices: [], cdiDevices: [] };

/**
 * Limit of the changes to a container, above the number that any driver needs. Each change is a
 * line of the container's configuration.
 */
const editsMax = 1_000;

/**
 * Translates edits to CRI's own fields for a runtime without CDI.
 * @throws Error for edits that CRI cannot represent, because the device would not work as its
 * driver intends.
 */
export function criEdits(edits: readonly ContainerEdits[]): CriDeviceParts {
  for (const each of edits) refuseOthers(each);
  const [env, mounts, devices] = [
    edits.flatMap((each) => (each.env ?? []).map(variable)),
    edits.flatMap((each) => (each.mounts ?? []).map(mountOf)),
    edits.flatMap((each) => (each.deviceNodes ?? []).map(deviceOf)),
  ];
  if (env.length + mounts.length + devices.length > editsMax)
    throw new Error(`CDI devices make more than ${editsMax} changes to a container`);
  return { env, mounts, devices, cdiDevices: [] };
}

function refuseOthers({ hooks = [], intelRdt, additionalGids = [], netDevices = [] }: ContainerEdits): void {
  if (hooks.length > 0) throw cannot("hooks");
  if (intelRdt !== undefined && intelRdt !== null) throw cannot("intelRdt");
  if (additionalGids.length > 0) throw cannot("additionalGids");
  if (netDevices.length > 0) throw cannot("netDevices");
}

function variable(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1 || text.includes("\0")) throw new Error(`CDI environment variable ${JSON.stringify(text)} has no name`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The runtime reads type and number of a device from the host's device node. */
function deviceOf({ path, hostPath = path, permissions = "rwm", fileMode, uid, gid }: CdiDeviceNode) {
  if (fileMode !== undefined) throw cannot("a device node's fileMode");
  if (uid !== undefined || gid !== undefined) throw cannot("a device node's uid and gid");
  if (!/^[rwm]{1,3}$/.test(permissions))
    throw new Error(
      `CDI device node ${path} has the permissions ${JSON.stringify(permissions)}, not some of r, w and m`,
    );
  return { hostPath: safePath(hostPath), containerPath: safePath(path), permissions };
}

/** Options that CRI's mounts always have. */
const usualOptions = new Set(["bind", "rbind", "rw", "private", "rprivate"]);

function mountOf({ hostPath, containerPath, options = [], type = "bind" }: CdiMount): Mount {
  if (type !== "bind" && type !== "") throw cannot(`a mount of type ${type}`);
  let [readonly, propagation]: [boolean, Mount["propagation"]] = [false, "private"];
  for (const option of options) {
    if (option === "ro") readonly = true;
    else if (option === "rslave" || option === "slave") propagation = "host-to-container";
    else if (option === "rshared" || option === "shared") propagation = "bidirectional";
    else if (!usualOptions.has(option)) throw cannot(`the mount option ${option}`);
  }
  const [from, to] = [safePath(hostPath), safePath(containerPath)];
  return { hostPath: from, containerPath: to, readonly, recursiveReadOnly: false, propagation };
}

function safePath(path: string): string {
  if (!isAbsolute(path) || normalize(path) !== path || path.includes("\0") || path === "/")
    throw new Error(`CDI path ${JSON.stringify(path)} must be absolute and without ".."`);
  return path;
}

function cannot(what: string): Error {
  return new Error(
    `CDI devices with ${what} need a container runtime that applies CDI itself: containerd 2.0, or 1.7 with enable_cdi`,
  );
}

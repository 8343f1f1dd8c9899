import { createHash } from "node:crypto";
import { readText } from "./cgroup-files.ts";

/** The IDs by which tools distinguish machines. */
export interface MachineIdentity {
  /** 32 hexadecimal digits: /etc/machine-id. */
  machineId: string;
  systemUuid: string;
}

/**
 * The firmware's UUID, as upstream's cadvisor finds it: the content of the first of these files
 * that exists.
 */
const systemUuidFiles = [
  "/sys/class/dmi/id/product_uuid",
  "/proc/device-tree/system-id",
  "/proc/device-tree/vm,uuid",
  "/etc/machine-id",
];

interface IdentityOptions {
  nodeName: string;
  /** The number of nodes that share the machine. */
  sharedBy: number;
  /** Reads a file; an empty string where it does not exist. */
  read?: (path: string) => Promise<string>;
}

/**
 * Reads the machine's IDs. Nodes that share a machine get their own IDs, derived from the machine's
 * IDs and from their names, so that the IDs are stable over restarts.
 */
export async function readMachineIdentity({
  nodeName,
  sharedBy,
  read = readText,
}: IdentityOptions): Promise<MachineIdentity> {
  const texts = await Promise.all(["/etc/machine-id", ...systemUuidFiles].map(read));
  const [machineId = "", ...uuids] = texts.map(firstLineOf);
  const systemUuid = uuids.find((text) => text !== "") ?? "";
  if (sharedBy <= 1) return { machineId, systemUuid };
  return {
    machineId: digitsOf(`${machineId}/${nodeName}`),
    systemUuid: withHyphens(digitsOf(`${systemUuid}/${nodeName}`)),
  };
}

/** A device tree file ends with a zero byte. */
function firstLineOf(text: string): string {
  return text.split("\n")[0]?.replaceAll("\0", "").trim() ?? "";
}

function digitsOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function withHyphens(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

import { RpcError } from "@kintsugi/grpc";
import type { Texts } from "../messages.ts";
import type { CloudDisk } from "./books.ts";

/**
 * Maximum delay of a disk: a delay longer than every time limit of a call would only make the disk
 * hang.
 */
const latencyMsMax = 10_000;

/** Returns the fault of a value; undefined for a valid value. */
type Rule = (value: string) => string | undefined;

/** The attributes of a disk that may change while it is in use. */
const rules: Readonly<Record<string, Rule>> = {
  /** Delay of each call about the disk, in milliseconds. */
  latencyMs: (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= latencyMsMax
      ? undefined
      : `is not a whole number up to ${latencyMsMax}`,
  /** A name that the cloud stores, such as the name of a class of disks. */
  tier: (value) =>
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(value) ? undefined : "is not a name of up to 63 of a-z, 0-9 and -",
};

/**
 * Returns the disk with the attributes; attributes that are not named are unchanged, as the
 * specification of ControllerModifyVolume requires. @throws RpcError INVALID_ARGUMENT for an
 * attribute that disks do not have.
 */
export function withAttributes(disk: CloudDisk, parameters: Texts): CloudDisk {
  for (const [name, value] of Object.entries(parameters)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const known = Object.keys(rules).join(" and ");
    if (rule === undefined)
      throw new RpcError(
        "INVALID_ARGUMENT",
        `mutable parameter ${JSON.stringify(name)} is unknown: disks have ${known}`,
      );
    const fault = rule(value);
    if (fault !== undefined)
      throw new RpcError("INVALID_ARGUMENT", `mutable parameter ${name}: ${JSON.stringify(value)} ${fault}`);
  }
  const attributes = { ...disk.attributes, ...parameters };
  const isSame = Object.entries(parameters).every(([name, value]) => disk.attributes?.[name] === value);
  return isSame ? disk : { ...disk, attributes };
}

/** Returns the delay of a call about the disk, in milliseconds. */
export function latencyMsOf({ attributes }: CloudDisk): number {
  return Number(attributes?.["latencyMs"] ?? 0);
}

import type { z } from "zod";

// A setting is one option of `kintsugi up`: its flag, its field of a topology, the part of the
// cluster's description that stores it, its contradiction, and its flags of the cluster's programs.
// settings.ts lists all settings; the functions that combine them are in desired-settings.ts.
//
//   --devices 2 ─┐ combine           store                   gives
//                ├──────► desired: 2 ───────► { devices: 2 } ───────► device-lab --devices=2
//   devices: 2 ──┘                              ▲
//                                               └ contradiction with a later `up`

export interface Setting<Name extends string, Desired, Stored extends object> {
  /** Name of the setting: its flag's name in camelCase. */
  readonly name: Name;
  /** The text of the flag's help, and of the table in docs/settings.md. */
  readonly help: string;
  readonly flag?: SettingFlag<Desired>;
  readonly field?: TopologyField<Desired>;
  /** Merges the values of file and flag. Default: the flag takes precedence. */
  combine?(file: Desired, flag: Desired): Desired;
  /**
   * Returns the part of a new cluster's description. A setting without this function applies to one
   * run of `up`.
   * @throws InvalidSpec if the desired setting is impossible.
   */
  store?(desired: Desired | undefined): Stored;
  /**
   * Returns the present value in words, if an existing cluster differs from the desired setting.
   */
  contradiction?(stored: Stored, desired: Desired): string | undefined;
  /** Returns flags of the cluster's programs. */
  gives?(stored: Stored, files: SettingFiles): Given;
  /**
   * Returns flags that follow all other flags, "name=value", because the last value of a repeated
   * flag applies.
   */
  appends?(stored: Stored): Appended;
}

/** The programs of a cluster for which settings have flags. */
export type ProgramName =
  | "api-server"
  | "scheduler"
  | "controller-manager"
  | "kubelet"
  | "proxy"
  | "csi-controller"
  | "device-lab"
  | "ingress-controller"
  | "cloud-lab"
  | "cloud-controller-manager"
  | "cluster-autoscaler"
  | "hollow";

/** Flags without dashes: `"secure-port": 6443`. */
export type Flags = Readonly<Record<string, string | number>>;
export type Given = Readonly<Partial<Record<ProgramName, Flags>>>;
export type Appended = Readonly<Partial<Record<ProgramName, readonly string[]>>>;

/** Files of the cluster whose paths settings pass to its programs. */
export interface SettingFiles {
  readonly cloudGroups: string;
  /** The audit log of the API server whose flags are being made. */
  readonly auditLog: string;
}

export interface SettingFlag<Desired> {
  /** The flag in the form of commander: "--devices <count>". */
  readonly flags: string;
  /**
   * Parses the text of the flag; `before` is the value of its earlier occurrences.
   * @throws Error that explains the fault.
   */
  parse?(text: string, before: Desired | undefined): Desired;
  readonly choices?: readonly string[];
  /** The value of a flag that was given without a value. */
  readonly preset?: string;
  readonly fallback?: { readonly value: Desired; readonly text?: string };
}

/** A field at the top of a topology file. */
export interface TopologyField<Desired> {
  readonly name: string;
  readonly schema: z.ZodType;
  /** Value for a file that lacks the field. Default: the file does not set a value. */
  readonly absent?: Desired;
  read(value: unknown, place: TopologyPlace): Desired;
  /** Returns the faults that the schema does not find; their paths begin at the field. */
  faults?(value: unknown, place: TopologyPlace): FieldFault[];
}

export interface FieldFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The context of a topology file. */
export interface TopologyPlace {
  /** The directory of the file, to which relative paths refer. */
  readonly directory: string;
  readonly host: HostSize;
  /** The names that the nodes of the file will have. */
  readonly nodeNames: ReadonlySet<string>;
}

/** This host, of which every machine is a part. */
export interface HostSize {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

/** Returns the setting, with its types inferred. */
export function defineSetting<const Name extends string, Desired, Stored extends object = object>(
  value: Setting<Name, Desired, Stored>,
): Setting<Name, Desired, Stored> {
  return value;
}

/** Returns a field whose reader and faults have the type of its schema. */
export function topologyField<Value, Desired>(field: {
  name: string;
  schema: z.ZodType<Value>;
  absent?: Desired;
  read: (value: Value, place: TopologyPlace) => Desired;
  faults?: (value: Value, place: TopologyPlace) => FieldFault[];
}): TopologyField<Desired> {
  return field as TopologyField<Desired>;
}

/** Returns a field whose value is the desired setting. */
export function plainField<Desired>(name: string, schema: z.ZodType<Desired>): TopologyField<Desired> {
  return topologyField({ name, schema, read: (value) => value });
}

/** Both inclusive. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** Returns the parser of a whole number. */
export function wholeNumber({ min, max }: Range): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isInteger(value) || value < min || value > max)
      throw new Error(`"${text}" is not a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** Ports to which a user can connect. */
export const ports: Range = { min: 1, max: 65_535 };

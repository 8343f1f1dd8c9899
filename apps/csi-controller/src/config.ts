import {
  type ConfiguredProgram,
  type ControllerProgramConfig,
  controllerProgramConfig,
  controllerProgramFlags,
  flag,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";

/** The command line of the service, completed. */
export interface CsiControllerConfig extends ControllerProgramConfig {
  /** "unix:///run/csi.sock". */
  csiAddress: string;
  /** The time that an answer of the driver may take. */
  callTimeoutMs: number;
}

const program: ConfiguredProgram = {
  name: "csi-controller",
  description: "Makes, attaches and deletes the volumes of one CSI driver.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "CsiControllerConfiguration" },
};

const flags = {
  ...controllerProgramFlags({ name: "csi-controller", port: 10261, lease: "kintsugi-csi-controller" }),
  "csi-address": flag.path({
    help: "Path of the driver's socket",
    required: true,
    example: "/run/kintsugi/csi.sock",
  }),
  timeout: flag.durationMs({ help: "Time that an answer of the driver may take", fallback: 15_000 }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): CsiControllerConfig {
  const given = readFlags(program, flags, argv);
  return {
    ...controllerProgramConfig(given),
    csiAddress: `unix://${given["csi-address"]}`,
    callTimeoutMs: given.timeout,
  };
}

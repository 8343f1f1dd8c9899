import { z } from "zod";
import { plainField, defineSetting } from "../setting.ts";
import { type OciRuntime, ociRuntimeOf, ociRuntimes } from "./oci-runtimes.ts";

/** The default is the most suitable runtime for this host. */
export const ociRuntimeSetting = defineSetting({
  name: "ociRuntime",
  help: "OCI runtime: crun, which uses less processor time, or runc, which most clusters use (default: crun where it is installed)",
  flag: { flags: "--oci-runtime <name>", choices: ociRuntimes },
  field: plainField<OciRuntime>("ociRuntime", z.enum(ociRuntimes)),
  /** Clusters that were created before the choice existed have runc. */
  store: (desired): { ociRuntime?: OciRuntime } => (desired === undefined ? {} : { ociRuntime: desired }),
  contradiction: (spec, desired) =>
    desired === ociRuntimeOf(spec) ? undefined : `OCI runtime ${ociRuntimeOf(spec)}, not ${desired}`,
});

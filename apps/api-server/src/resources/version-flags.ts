import { featureConfig, featureFlags, flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import type { ServerOptions } from "../server-options.ts";
import { chooseServedVersions } from "./served-versions.ts";

/** The flags that decide which kinds and fields are served. */
export const versionFlags = {
  ...featureFlags,
  "runtime-config": flag.list({
    help: "API versions and kinds to serve or not, such as api/beta=true,storage.k8s.io/v1beta1=false,v1/podtemplates=false",
    placeholder: "api=true,…",
    fallback: [],
    example: ["api/beta=true"],
  }),
} as const;

/** @throws FlagError */
export function versionConfig(
  given: FlagValues<typeof versionFlags>,
): Pick<ServerOptions, "minor" | "features" | "isServed"> {
  const { minor, features } = featureConfig(given);
  const runtimeConfig = Object.fromEntries(given["runtime-config"].map(runtimeEntry));
  try {
    return { minor, features, isServed: chooseServedVersions({ minor, features, runtimeConfig }) };
  } catch (error) {
    throw new FlagError(`--runtime-config: ${(error as Error).message}`, { cause: error });
  }
}

/** A key without a value means true. */
function runtimeEntry(text: string): [string, boolean] {
  const [key = "", value = "true"] = text.split(/=(.*)/s).map((part) => part.trim());
  if (["true", "false", ""].includes(value)) return [key, value !== "false"];
  throw new FlagError(`--runtime-config: invalid value of ${key}=${value}, it is true or false`);
}

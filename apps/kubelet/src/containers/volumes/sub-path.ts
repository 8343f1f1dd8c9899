import type { Container } from "@kintsugi/api";
import { ContainerConfigError } from "../environment/config-error.ts";
import { expand } from "../environment/expand.ts";

type VolumeMount = NonNullable<Container["volumeMounts"]>[number];

/**
 * Returns the part of a volume that is mounted; undefined for the whole volume.
 * @throws ContainerConfigError in upstream's words when the path could leave the volume, or names
 * an unknown variable.
 */
export function subPathOf(mount: VolumeMount, env: ReadonlyMap<string, string>): string | undefined {
  const { subPathExpr = "" } = mount;
  const subPath = subPathExpr === "" ? (mount.subPath ?? "") : expandStrictly(subPathExpr, env);
  if (subPath === "") return undefined;
  if (subPath.startsWith("/"))
    throw new ContainerConfigError(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split("/").includes("..")) {
    throw new ContainerConfigError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
  return subPath;
}

/** The path would name an unintended directory if a variable were missing. */
function expandStrictly(text: string, env: ReadonlyMap<string, string>): string {
  for (const [match, name] of text.matchAll(/\$\$|\$\(([^)]*)\)/g)) {
    if (match !== "$$" && !env.has(name ?? ""))
      throw new ContainerConfigError(`missing value for ${JSON.stringify(name)}`);
  }
  return expand(text, env);
}

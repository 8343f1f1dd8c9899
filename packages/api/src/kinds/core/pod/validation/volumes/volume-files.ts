import type { Volume } from "../../volumes/volume.ts";
import type { DownwardAPIVolumeFile, KeyToPath, VolumeProjection } from "../../volumes/volume-files.ts";
import { checkSubdomain1123 } from "../../../../../values/names.ts";
import type { Faults } from "../../../../../validation/faults.ts";
import { validateFileMode, validateFilePath } from "../../../../../validation/file-paths.ts";
import { validateFieldReference, validateResourceReference, volumeFieldPaths } from "../env.ts";

/**
 * Volumes that the kubelet fills with files: secrets, config maps, the pod's own fields, tokens.
 */
export function validateFileVolume(volume: Volume, path: string, faults: Faults): void {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (secret !== undefined) {
    if ((secret.secretName ?? "") === "") faults.required(`${path}.secretName`);
    validateFileMode(secret.defaultMode, `${path}.defaultMode`, faults);
    validateItems(secret.items, `${path}.items`, faults);
  }
  if (configMap !== undefined) {
    if ((configMap.name ?? "") === "") faults.required(`${path}.name`);
    validateFileMode(configMap.defaultMode, `${path}.defaultMode`, faults);
    validateItems(configMap.items, `${path}.items`, faults);
  }
  if (downwardAPI !== undefined) {
    validateFileMode(downwardAPI.defaultMode, `${path}.defaultMode`, faults);
    validateDownwardFiles(downwardAPI.items, path, faults);
  }
  if (projected !== undefined) {
    validateFileMode(projected.defaultMode, `${path}.defaultMode`, faults);
    validateProjections(projected.sources ?? [], `${path}.sources`, faults);
  }
}

function validateItems(items: readonly KeyToPath[] | undefined, path: string, faults: Faults): void {
  for (const [index, item] of (items ?? []).entries()) {
    const at = `${path}[${index}]`;
    if (item.key === "") faults.required(`${at}.key`);
    if (item.path === "") faults.required(`${at}.path`);
    else validateFilePath(item.path, `${at}.path`, faults);
    validateFileMode(item.mode, `${at}.mode`, faults);
  }
}

function validateDownwardFiles(
  files: readonly DownwardAPIVolumeFile[] | undefined,
  path: string,
  faults: Faults,
): void {
  for (const file of files ?? []) {
    if (file.path === "") faults.required(`${path}.path`);
    else validateFilePath(file.path, `${path}.path`, faults);
    if (file.fieldRef !== undefined) {
      validateFieldReference(file.fieldRef, { path: `${path}.fieldRef`, fieldPaths: volumeFieldPaths }, faults);
      if (file.resourceFieldRef !== undefined) {
        faults.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
      }
    } else if (file.resourceFieldRef === undefined)
      faults.required(path, "one of fieldRef and resourceFieldRef is required");
    else validateResourceReference(file.resourceFieldRef, { path: `${path}.resourceFieldRef`, inVolume: true }, faults);
    validateFileMode(file.mode, `${path}.mode`, faults);
  }
}

/** A token with a shorter lifetime could expire before it is renewed. */
const tokenSecondsMin = 600;

function validateProjections(sources: readonly VolumeProjection[], path: string, faults: Faults): void {
  const paths = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const at = `${path}[${index}]`;
    const chosen = Object.entries(source).filter(([, member]) => member !== undefined);
    if (chosen.length === 0) faults.required(at, "must specify a projection type");
    for (const [type] of chosen.slice(1)) {
      faults.forbidden(`${at}.${type}`, "may not specify more than 1 volume type per source");
    }
    validateProjection(source, at, faults);
    for (const file of projectedPaths(source)) {
      // Two sources may not write the same file.
      if (paths.has(file)) faults.invalid(at, file, "conflicting duplicate paths");
      paths.add(file);
    }
  }
}

function validateProjection(source: VolumeProjection, at: string, faults: Faults): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  for (const [type, named] of [["secret", secret] as const, ["configMap", configMap] as const]) {
    if (named === undefined) continue;
    if ((named.name ?? "") === "") faults.required(`${at}.${type}.name`);
    validateItems(named.items, `${at}.${type}.items`, faults);
  }
  if (downwardAPI !== undefined) validateDownwardFiles(downwardAPI.items, `${at}.downwardAPI`, faults);
  if (serviceAccountToken !== undefined) {
    const { path, expirationSeconds } = serviceAccountToken;
    if (path === "") faults.required(`${at}.serviceAccountToken.path`);
    else validateFilePath(path, `${at}.serviceAccountToken.path`, faults);
    if (expirationSeconds !== undefined && expirationSeconds < tokenSecondsMin) {
      const detail = "may not specify a duration less than 10 minutes";
      faults.invalid(`${at}.serviceAccountToken.expirationSeconds`, expirationSeconds, detail);
    }
    if (expirationSeconds !== undefined && expirationSeconds > 2 ** 32) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      faults.invalid(`${at}.serviceAccountToken.expirationSeconds`, expirationSeconds, detail);
    }
  }
  if (clusterTrustBundle !== undefined) {
    const { path, name = "" } = clusterTrustBundle;
    if (path === "") faults.required(`${at}.clusterTrustBundle.path`);
    else validateFilePath(path, `${at}.clusterTrustBundle.path`, faults);
    if (name !== "")
      faults.invalidEach(`${at}.clusterTrustBundle.name`, name, checkSubdomain1123(name.replaceAll(":", ".")));
  }
}

function projectedPaths(source: VolumeProjection): string[] {
  const lists: (readonly { path: string }[] | undefined)[] = [
    source.secret?.items,
    source.configMap?.items,
    source.downwardAPI?.items,
  ];
  const items = lists.flatMap((list) => list ?? []);
  const single = [source.serviceAccountToken?.path, source.clusterTrustBundle?.path];
  return [...items.map((item) => item.path), ...single.filter((path) => path !== undefined)].filter(
    (path) => path !== "",
  );
}

import type { VolumeProjection } from "../volumes/volume-files.ts";
import type { Volume } from "../volumes/volume.ts";
import { fractionalBytesWarnings } from "./fractional-bytes.ts";

/**
 * Deprecated volume types: the field, its name in the warning, and the version of the deprecation.
 */
const deprecatedVolumes: readonly (readonly [field: keyof Volume, name: string, since: string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** Returns the warnings about the volumes of a pod; `path` is the path of the list. */
export function volumeWarnings(volumes: readonly Volume[], path: string): string[] {
  return [
    ...volumes.flatMap((volume, i) => typeWarnings(volume, `${path}[${i}]`)),
    // Upstream's warnings about overlaps name the volume and do not have a path.
    ...volumes.flatMap(overlapWarnings),
  ];
}

function typeWarnings(volume: Volume, path: string): string[] {
  const warnings = deprecatedVolumes.flatMap(([field, name, since]) =>
    volume[field] === undefined ? [] : [`${path}.${name}: ${since}`],
  );
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  return [...warnings, ...claimSpecWarnings(claim, `${path}.ephemeral.volumeClaimTemplate.spec`)];
}

interface ClaimSpec {
  resources?:
    | { requests?: Record<string, string> | undefined; limits?: Record<string, string> | undefined }
    | undefined;
}

/** Returns the warnings of upstream's GetWarningsForPersistentVolumeClaimSpec. */
export function claimSpecWarnings(spec: ClaimSpec | undefined, path: string): string[] {
  const { requests, limits } = spec?.resources ?? {};
  return [
    ...fractionalBytesWarnings(requests, ["storage"], `${path}.resources.requests`),
    ...fractionalBytesWarnings(limits, ["storage"], `${path}.resources.limits`),
  ];
}

/** A file of a volume, with its source in a projected volume. */
interface File {
  readonly path: string;
  readonly source: string;
}

// The later of two files with the same path hides the earlier file. A path cannot be a file and a
// directory: "conf" and "conf/app" overlap, but "conf" and "config" do not overlap.
function overlapWarnings(volume: Volume): string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  const title = (what: string) => `volume ${quote(name)} (${what})`;
  return [
    ...overlaps(filesOf(configMap?.items, ""), title(`ConfigMap ${quote(configMap?.name)}`)),
    ...overlaps(filesOf(secret?.items, ""), title(`Secret ${quote(secret?.secretName)}`)),
    ...overlaps(filesOf(downwardAPI?.items, ""), title("DownwardAPI")),
    ...(projected?.sources ?? []).flatMap((source) =>
      Object.values(source).every((value) => value === undefined)
        ? [`${title("Projected")} has no sources provided`]
        : [],
    ),
    ...overlaps((projected?.sources ?? []).flatMap(projectedFiles), title("Projected")),
  ];
}

function projectedFiles(source: VolumeProjection): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap !== undefined) return filesOf(configMap.items, `ConfigMap ${quote(configMap.name)}`);
  if (secret !== undefined) return filesOf(secret.items, `Secret ${quote(secret.name)}`);
  if (downwardAPI !== undefined) return filesOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken !== undefined) return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  if (clusterTrustBundle !== undefined) {
    const { path, name, signerName } = clusterTrustBundle;
    return [{ path, source: `ClusterTrustBundle ${quote(name ?? signerName)}` }];
  }
  if (podCertificate === undefined) return [];
  const { certificateChainPath, keyPath, credentialBundlePath } = podCertificate;
  return [
    { path: certificateChainPath ?? "", source: "PodCertificate chain" },
    { path: keyPath ?? "", source: "PodCertificate key" },
    { path: credentialBundlePath ?? "", source: "PodCertificate credential bundle" },
  ];
}

function filesOf(items: readonly { path: string }[] | undefined, source: string): File[] {
  return (items ?? []).map(({ path }) => ({ path, source }));
}

// The files seen so far, by the segments of their paths. A file overlaps with files on its way down
// and with files below it, so that a volume with many files takes linear time.
interface Directory {
  readonly files: { readonly file: File; readonly order: number }[];
  readonly below: Map<string, Directory>;
}

/** Maximum number of warnings about one volume, because a response has little space for them. */
const overlapsMax = 64;

function overlaps(files: readonly File[], title: string): string[] {
  const root: Directory = { files: [], below: new Map() };
  const warnings: string[] = [];
  for (const [order, { path: written, source }] of files.entries()) {
    const file = { path: withoutEndSlashes(written), source };
    if (file.path === "") continue;
    const { place, above } = placeOf(root, file.path);
    const others = [...above, ...filesUnder(place)].toSorted((a, b) => a.order - b.order);
    for (const { file: other } of others)
      warnings.push(`${title}: overlapping paths: ${formatFile(file)} with ${formatFile(other)}`);
    if (warnings.length >= overlapsMax) return warnings.slice(0, overlapsMax);
    place.files.push({ file, order });
  }
  return warnings;
}

/** Descends to the directory of a path, and collects the files on the way. */
function placeOf(root: Directory, path: string): { place: Directory; above: Directory["files"] } {
  const above: Directory["files"] = [];
  let place = root;
  for (const segment of path.split("/")) {
    above.push(...place.files);
    let next = place.below.get(segment);
    if (next === undefined) place.below.set(segment, (next = { files: [], below: new Map() }));
    place = next;
  }
  return { place, above };
}

function filesUnder(top: Directory): Directory["files"] {
  const found: Directory["files"] = [];
  const left = [top];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    found.push(...next.files);
    left.push(...next.below.values());
  }
  return found;
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function formatFile({ path, source }: File): string {
  return source === "" ? quote(path) : `${quote(path)} (${source})`;
}

function quote(text = ""): string {
  return JSON.stringify(text);
}

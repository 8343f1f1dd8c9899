import type { DownwardAPIVolumeFile, KeyToPath, ServiceAccountTokenProjection, Volume } from "@kintsugi/api";
import type { ConfigSource } from "../environment/config-source.ts";
import { ContainerConfigError } from "../environment/config-error.ts";
import { type DownwardInput, podField, resourceField } from "../environment/downward-api.ts";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import type { FileToWrite } from "./atomic-directory.ts";

export interface VolumeFilesDeps {
  source: ConfigSource;
  /** A token for the pod's service account. */
  token(pod: BoundPod, request: ServiceAccountTokenProjection): Promise<string>;
}

const defaultMode = 0o644;
const personalMode = 0o600;

/** Kinds of volumes whose files come from the API. */
export function hasApiFiles(volume: Volume): boolean {
  return Boolean(volume.configMap ?? volume.secret ?? volume.downwardAPI ?? volume.projected);
}

/**
 * Returns the files of a volume whose content comes from the API.
 * @throws ContainerConfigError in upstream's words when a part is missing.
 */
export async function volumeFiles(volume: Volume, input: DownwardInput, deps: VolumeFilesDeps): Promise<FileToWrite[]> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) return configMapFiles({ ...configMap, mode: configMap.defaultMode }, input, deps);
  if (secret) return secretFiles({ ...secret, name: secret.secretName, mode: secret.defaultMode }, input, deps);
  if (downwardAPI) return downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode, input);
  const files: FileToWrite[] = [];
  const mode = projected?.defaultMode;
  for (const part of projected?.sources ?? []) {
    if (part.configMap) files.push(...(await configMapFiles({ ...part.configMap, mode }, input, deps)));
    else if (part.secret) files.push(...(await secretFiles({ ...part.secret, mode }, input, deps)));
    else if (part.downwardAPI) files.push(...downwardFiles(part.downwardAPI.items ?? [], mode, input));
    else if (part.serviceAccountToken) {
      const token = await deps.token(input.pod, part.serviceAccountToken);
      files.push({ path: part.serviceAccountToken.path, content: Buffer.from(token), ...tokenAccess(input.pod, mode) });
    } else throw new ContainerConfigError(`a source of projected volume "${volume.name}" is not supported`);
  }
  return files;
}

interface Selection {
  name?: string | undefined;
  items?: readonly KeyToPath[] | undefined;
  optional?: boolean | undefined;
  mode?: number | undefined;
}

async function configMapFiles(
  selection: Selection,
  input: DownwardInput,
  deps: VolumeFilesDeps,
): Promise<FileToWrite[]> {
  const { namespace } = input.pod.metadata;
  const { name = "" } = selection;
  const found = await deps.source.findConfigMap(namespace, name);
  if (!found && !selection.optional) throw new ContainerConfigError(`configmap "${name}" not found`);
  const data = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(found?.data ?? {})) data.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(found?.binaryData ?? {})) data.set(key, Buffer.from(base64, "base64"));
  return selected(data, selection, "configmap references non-existent config");
}

async function secretFiles(selection: Selection, input: DownwardInput, deps: VolumeFilesDeps): Promise<FileToWrite[]> {
  const { namespace } = input.pod.metadata;
  const { name = "" } = selection;
  const found = await deps.source.findSecret(namespace, name);
  if (!found && !selection.optional) throw new ContainerConfigError(`secret "${name}" not found`);
  const data = Object.entries(found?.data ?? {}).map(([key, base64]) => [key, Buffer.from(base64, "base64")] as const);
  return selected(new Map(data), selection, "references non-existent secret");
}

function selected(data: ReadonlyMap<string, Uint8Array>, selection: Selection, missingKey: string): FileToWrite[] {
  const mode = selection.mode ?? defaultMode;
  if (!selection.items || selection.items.length === 0) {
    return [...data].map(([path, content]) => ({ path, content, mode }));
  }
  return selection.items.flatMap((item) => {
    const content = data.get(item.key);
    if (content) return [{ path: item.path, content, mode: item.mode ?? mode }];
    if (selection.optional) return [];
    throw new ContainerConfigError(`${missingKey} key: ${item.key}`);
  });
}

function downwardFiles(
  items: readonly DownwardAPIVolumeFile[],
  mode: number | undefined,
  input: DownwardInput,
): FileToWrite[] {
  return items.map((item) => {
    const text = item.fieldRef
      ? podField(item.fieldRef.fieldPath, input)
      : item.resourceFieldRef
        ? resourceField(item.resourceFieldRef, input)
        : "";
    return { path: item.path, content: Buffer.from(text), mode: item.mode ?? mode ?? defaultMode };
  });
}

/**
 * A token's file is owned by the user that all containers run as. Where the pod has a group, the
 * group may also read it, by the group's mode bits (projected.go collectData, util.FsUserFrom).
 */
function tokenAccess(pod: BoundPod, mode: number | undefined): Pick<FileToWrite, "mode" | "userId"> {
  const users = containersOf(pod).map(
    ({ securityContext }) => securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser,
  );
  const userId = users.every((each) => each === users[0]) ? users[0] : undefined;
  const isPersonal = userId !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { mode: isPersonal ? personalMode : (mode ?? defaultMode), userId };
}

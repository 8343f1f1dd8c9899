import { formatTimestamp, type ObjectMeta } from "@kintsugi/api";
import type { KubeObject, Resource } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";

/** Keeps the metadata of a new object that clients may set. The server sets the rest. */
export function fillNewMetadata(context: ServerContext, object: KubeObject, resource: Resource): void {
  const { metadata } = object;
  delete metadata.selfLink;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  if (resource.kind.strategy.generation ?? false) metadata.generation = 1;
  metadata.uid = context.random.uuid();
  metadata.creationTimestamp = formatTimestamp(context.clock.nowMs());
}

/** An update does not change metadata that clients cannot change. */
export function keepSystemMetadata(object: KubeObject, before: KubeObject): void {
  const { metadata } = object;
  const old = before.metadata;
  setOrDelete(metadata, "uid", old.uid);
  setOrDelete(metadata, "creationTimestamp", old.creationTimestamp);
  setOrDelete(metadata, "deletionTimestamp", old.deletionTimestamp);
  setOrDelete(metadata, "deletionGracePeriodSeconds", old.deletionGracePeriodSeconds);
  setOrDelete(metadata, "generation", old.generation);
  setOrDelete(metadata, "generateName", metadata.generateName ?? old.generateName);
  delete metadata.selfLink;
}

function setOrDelete<K extends keyof ObjectMeta>(metadata: ObjectMeta, key: K, value: ObjectMeta[K]): void {
  if (value === undefined) delete metadata[key];
  else metadata[key] = value;
}

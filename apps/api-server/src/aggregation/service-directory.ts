import { type APIService, apiServices, apiVersionOf, isConditionTrue } from "@kintsugi/api";
import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storePrefix, storeResource } from "../resources/keys.ts";

/** A version of a group that another server serves. */
export interface RemoteService {
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /**
   * Authorities of the server's certificate, in PEM; undefined for the authorities of the machine.
   */
  readonly ca: string | undefined;
  readonly insecure: boolean;
  readonly isAvailable: boolean;
}

/** The registered APIServices by name, kept up to date with the store. */
export class ApiServiceDirectory {
  readonly #names = new Map<string, string | undefined>();
  readonly #remotes = new Map<string, RemoteService>();
  readonly #managedLabel: string;
  /** A number that grows with every change of a remote service. */
  generation = 0;

  constructor(managedLabel: string) {
    this.#managedLabel = managedLabel;
  }

  load(store: Pick<Store, "list">): void {
    for (const entry of store.list(storePrefix(apiServices, "")).entries) this.#put(entry);
  }

  /** Returns the names of the APIServices that changed. */
  observe(changes: readonly CommittedChange[]): string[] {
    return changes.flatMap(({ resource, type, entry }) => {
      if (resource !== storeResource(apiServices)) return [];
      const { name } = parseStoreKey(entry.key);
      if (type === "delete") this.#remove(name);
      else this.#put(entry);
      return [name];
    });
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names of the services whose management label has this value: "true" or "onstart". */
  managed(value: string): string[] {
    return [...this.#names].flatMap(([name, managed]) => (managed === value ? [name] : []));
  }

  /** Finds the remote server of a version, by "group/version". */
  find(groupVersion: string): RemoteService | undefined {
    return this.#remotes.get(groupVersion);
  }

  remotes(): readonly RemoteService[] {
    return [...this.#remotes.values()];
  }

  #put(entry: Entry): void {
    const { name } = parseStoreKey(entry.key);
    const object = decodeEntry(entry) as APIService;
    this.#names.set(name, object.metadata.labels?.[this.#managedLabel]);
    const remote = remoteOf(name, object);
    const before = this.#ofName(name);
    if (remote === undefined && before === undefined) return;
    if (before !== undefined) this.#remotes.delete(apiVersionOf(before));
    if (remote !== undefined) this.#remotes.set(apiVersionOf(remote), remote);
    this.generation++;
  }

  #remove(name: string): void {
    this.#names.delete(name);
    const before = this.#ofName(name);
    if (before === undefined) return;
    this.#remotes.delete(apiVersionOf(before));
    this.generation++;
  }

  #ofName(name: string): RemoteService | undefined {
    const dot = name.indexOf(".");
    return this.#remotes.get(apiVersionOf({ group: name.slice(dot + 1), version: name.slice(0, dot) }));
  }
}

function remoteOf(name: string, { metadata, spec, status }: APIService): RemoteService | undefined {
  if (spec?.service === undefined) return undefined;
  const { namespace = "", name: service = "", port = 443 } = spec.service;
  const { group = "", version = "", caBundle = "", insecureSkipTLSVerify = false } = spec;
  return {
    name,
    uid: metadata.uid ?? "",
    group,
    version,
    service: { namespace, name: service, port },
    ca: caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8"),
    insecure: insecureSkipTLSVerify,
    isAvailable: isConditionTrue(status?.conditions, "Available"),
  };
}

import { parseYaml } from "@kintsugi/yaml-text";
import { z } from "zod";
import { keySizes, type ProviderName } from "./providers.ts";

// The first entry whose resources match applies. Its first provider encrypts, and all of its
// providers decrypt:
//
//   apiVersion: apiserver.config.k8s.io/v1
//   kind: EncryptionConfiguration
//   resources:
//   - resources: [secrets, configmaps]     # also "deployments.apps", "*.", "*.apps" and "*.*"
//     providers:
//     - aesgcm: { keys: [{ name: new, secret: … }, { name: old, secret: … }] }
//     - identity: {}                       # still reads values that were never encrypted

const Key = z.strictObject({ name: z.string(), secret: z.string() });
const Keys = z.strictObject({ keys: z.array(Key).min(1, "at least one keys is required") });
const Provider = z.strictObject({
  aesgcm: Keys.optional(),
  aescbc: Keys.optional(),
  secretbox: Keys.optional(),
  identity: z.strictObject({}).optional(),
});
const Entry = z.strictObject({
  resources: z.array(z.string()).min(1, "at least one resource is required"),
  providers: z.array(Provider).min(1, "at least one provider is required"),
});
const Configuration = z.strictObject({
  apiVersion: z.literal("apiserver.config.k8s.io/v1"),
  kind: z.literal("EncryptionConfiguration"),
  resources: z.array(Entry).min(1, "at least one resources is required"),
});

export interface EncryptionProvider {
  readonly name: ProviderName | "identity";
  /** The first key encrypts; all keys decrypt. */
  readonly keys: readonly { name: string; secret: Buffer }[];
}

export interface EncryptionEntry {
  readonly resources: readonly string[];
  readonly providers: readonly EncryptionProvider[];
}

/**
 * Parses an EncryptionConfiguration. @param source the name of its file, for messages.
 * @throws InvalidFile with all its faults, each with its line and column; the message never
 * contains a key.
 */
export function parseEncryptionConfig(text: string, source: string): readonly EncryptionEntry[] {
  const parsed = parseYaml(text, { schema: Configuration, source, whole: "EncryptionConfiguration" });
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const entries = parsed.value.resources.map(({ resources, providers }, index) => {
    const path = ["resources", index];
    faults.push(
      ...resourceFaults(resources, seen).map((fault) => ({ ...fault, path: [...path, "resources", ...fault.path] })),
    );
    const read = providers.map((provider, at) => {
      const { provider: one, faults: found } = readProvider(provider);
      faults.push(...found.map((fault) => ({ ...fault, path: [...path, "providers", at, ...fault.path] })));
      return one;
    });
    return { resources, providers: read };
  });
  if (faults.length > 0) throw parsed.invalid(faults);
  return entries;
}

interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function readProvider(provider: z.infer<typeof Provider>): { provider: EncryptionProvider; faults: Fault[] } {
  const names = (["aesgcm", "aescbc", "secretbox", "identity"] as const).filter((name) => provider[name] !== undefined);
  const [name = "identity"] = names;
  const faults: Fault[] = [];
  if (names.length === 0) faults.push({ path: [], message: "provider does not contain any of the expected providers" });
  if (names.length > 1) {
    const message = "more than one provider specified in a single element, should split into different list elements";
    faults.push({ path: [], message });
  }
  const given = name === "identity" ? [] : (provider[name]?.keys ?? []);
  const keys = given.map((key, index) => {
    const path = [name, "keys", index];
    const secret = Buffer.from(key.secret, "base64");
    const sizes = name === "identity" ? [] : keySizes[name];
    if (key.name === "") faults.push({ path: [...path, "name"], message: "name is a mandatory field for a key" });
    if (!/^[\x21-\x39\x3b-\x7e]{0,128}$/.test(key.name)) {
      const message = "a key's name has at most 128 printable characters of ASCII, and no colon";
      faults.push({ path: [...path, "name"], message });
    }
    if (key.secret === "") faults.push({ path: [...path, "secret"], message: "secret is a mandatory field for a key" });
    else if (!/^[A-Za-z0-9+/]+={0,2}$/.test(key.secret)) {
      faults.push({ path: [...path, "secret"], message: "secrets must be base64 encoded" });
    } else if (!sizes.includes(secret.byteLength)) {
      const expected = `expected one of [${sizes.join(" ")}]`;
      const message = `secret is not of the expected length, got ${secret.byteLength}, ${expected}`;
      faults.push({ path: [...path, "secret"], message });
    }
    return { name: key.name, secret };
  });
  return { provider: { name, keys }, faults };
}

function resourceFaults(resources: readonly string[], seen: Set<string>): Fault[] {
  const faults: Fault[] = [];
  resources.forEach((resource, index) => {
    const message = resourceFault(resource, resources, seen);
    seen.add(resource);
    if (message !== undefined) faults.push({ path: [index], message });
  });
  return faults;
}

/** Upstream's rules of encryptionconfig validation, in its words. */
function resourceFault(resource: string, all: readonly string[], seen: ReadonlySet<string>): string | undefined {
  if (resource === "*") {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (resource === "" || /[A-Z]/.test(resource)) return "resource name should not contain capital letters";
  if (resource.endsWith(".extensions")) return "'extensions' group has been removed and cannot be used for encryption";
  if (resource.endsWith(".events.k8s.io")) {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (resource.startsWith("*.") && resource !== "*.*" && resource.slice(2).includes("*")) {
    return "encrypting the same resource across groups is not supported";
  }
  if (resource.endsWith(".*") && resource !== "*.*")
    return "encrypting the same resource across groups is not supported";
  if (seen.has(resource)) return "the same resource cannot be specified multiple times";
  const overlaps = all.some((other) => other !== resource && covers(other, resource));
  return overlaps
    ? "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked"
    : undefined;
}

function covers(pattern: string, resource: string): boolean {
  if (pattern === "*.*") return true;
  if (!pattern.startsWith("*.")) return false;
  return matchesResource(pattern, { group: resource.split(".").slice(1).join("."), resource: "" });
}

/** "secrets", "deployments.apps", "*." (all of the core group), "*.apps" and "*.*". */
export function matchesResource(pattern: string, { group, resource }: { group: string; resource: string }): boolean {
  if (pattern === "*.*") return true;
  if (pattern.startsWith("*.")) return pattern.slice(2) === group;
  return pattern === (group === "" ? resource : `${resource}.${group}`);
}

import type { Random } from "@kintsugi/clock";
import { parseStoreKey } from "../resources/keys.ts";
import { type EncryptionEntry, type EncryptionProvider, matchesResource } from "./encryption-config.ts";
import { type KeyedCipher, makeCipher } from "./providers.ts";
import type { SealedValues } from "./reloaded-values.ts";

// A sealed value begins with upstream's prefix, which names the provider and the key:
//
//   k8s:enc:aesgcm:v1:new:<nonce, ciphertext, tag>
//
// A value that was never encrypted is JSON, and begins with "{".

const encryptedPrefix = "k8s:enc:";
/** Longest prefix, because names of keys are short. */
const prefixLengthMax = 512;

interface KeyedTransformer {
  readonly prefix: string;
  readonly cipher: KeyedCipher;
}

interface Transformer {
  readonly provider: EncryptionProvider["name"];
  readonly keys: readonly KeyedTransformer[];
}

/**
 * Encrypts the values of the configured resources on the disk. Each ciphertext is bound to its key
 * in the store.
 */
export function encryptedValues(entries: readonly EncryptionEntry[], random: Pick<Random, "bytes">): SealedValues {
  const compiled = entries.map(({ resources, providers }) => ({
    resources,
    transformers: providers.map((provider) => compile(provider, random)),
  }));
  /** There are some sixty resources in addition to the resources that users define. */
  const known = new Map<string, readonly Transformer[]>();
  const transformersOf = (key: string): readonly Transformer[] => {
    const { group, resource } = parseStoreKey(key);
    const name = `${group}/${resource}`;
    let found = known.get(name);
    if (found === undefined) {
      const entry = compiled.find(({ resources }) =>
        resources.some((pattern) => matchesResource(pattern, { group, resource })),
      );
      found = entry?.transformers ?? identityAlone;
      known.set(name, found);
    }
    return found;
  };
  return {
    seal: (key, value) => {
      const [first] = transformersOf(key)[0]?.keys ?? [];
      if (first === undefined) return value;
      return Buffer.concat([Buffer.from(first.prefix), first.cipher.encrypt(value, Buffer.from(key))]);
    },
    open: (key, stored) => open(transformersOf(key), key, stored),
    sealedBy: (key) => transformersOf(key)[0]?.keys[0]?.prefix ?? "",
  };
}

const identityAlone: readonly Transformer[] = [{ provider: "identity", keys: [] }];

function compile({ name, keys }: EncryptionProvider, random: Pick<Random, "bytes">): Transformer {
  if (name === "identity") return { provider: name, keys: [] };
  return {
    provider: name,
    keys: keys.map((key) => ({
      prefix: `${encryptedPrefix}${name}:v1:${key.name}:`,
      cipher: makeCipher[name](key.secret, random),
    })),
  };
}

/** @throws Error in upstream's words. */
function open(
  transformers: readonly Transformer[],
  key: string,
  stored: Uint8Array,
): { value: Uint8Array; stale: boolean } {
  const start = Buffer.from(stored.subarray(0, prefixLengthMax)).toString("latin1");
  const [first] = transformers;
  if (!start.startsWith(encryptedPrefix)) {
    if (!transformers.some(({ provider }) => provider === "identity")) throw new Error("no matching prefix found");
    return { value: stored, stale: first?.provider !== "identity" };
  }
  let failure: Error | undefined;
  let isKnownProvider = false;
  for (const { provider, keys } of transformers) {
    if (provider === "identity" || !start.startsWith(`${encryptedPrefix}${provider}:`)) continue;
    isKnownProvider = true;
    // Two providers of the same kind may have keys with the same name, so each key is tried.
    for (const keyed of keys.filter(({ prefix }) => start.startsWith(prefix))) {
      try {
        const value = keyed.cipher.decrypt(stored.subarray(keyed.prefix.length), Buffer.from(key));
        return { value, stale: keyed !== first?.keys[0] };
      } catch (error) {
        failure = new Error(`the key ${JSON.stringify(keyed.prefix.split(":")[4])} does not decrypt the value`, {
          cause: error,
        });
      }
    }
  }
  if (failure !== undefined) throw failure;
  if (isKnownProvider) throw new Error("no matching key was found for the provided transformer");
  if (transformers.every(({ provider }) => provider === "identity")) {
    throw new Error("identity transformer tried to read encrypted data");
  }
  throw new Error("no matching prefix found");
}

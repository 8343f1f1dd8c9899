import { createCipheriv, createDecipheriv } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import type { Random } from "@kintsugi/clock";

/** One key of a provider: it encrypts, and decrypts the values that it has encrypted. */
export interface KeyedCipher {
  /**
   * `bound` is authenticated with the data where the cipher supports that, so that a value cannot
   * be moved to another key.
   */
  encrypt(plain: Uint8Array, bound: Uint8Array): Uint8Array;
  /** @throws Error when the data was not encrypted with this key. */
  decrypt(sealed: Uint8Array, bound: Uint8Array): Uint8Array;
}

export type ProviderName = "aescbc" | "aesgcm" | "secretbox";

/** The allowed key sizes in bytes. */
export const keySizes: Readonly<Record<ProviderName, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};

type MakeCipher = (key: Uint8Array, random: Pick<Random, "bytes">) => KeyedCipher;

export const makeCipher: Readonly<Record<ProviderName, MakeCipher>> = {
  aesgcm: makeAesGcm,
  aescbc: makeAesCbc,
  secretbox: makeSecretbox,
};

// Upstream's layouts:
//
//   aesgcm      nonce 12 │ ciphertext │ tag 16
//   aescbc      IV 16    │ ciphertext, padded to blocks of 16
//   secretbox   nonce 24 │ tag 16 │ ciphertext

const [gcmNonceBytes, gcmTagBytes, blockBytes, boxNonceBytes] = [12, 16, 16, 24] as const;

/**
 * A random nonce is safe for 2^32 values of one key, so keys have to be rotated before that, as
 * upstream advises.
 */
function makeAesGcm(key: Uint8Array, random: Pick<Random, "bytes">): KeyedCipher {
  const algorithm = `aes-${key.byteLength * 8}-gcm` as "aes-256-gcm";
  return {
    encrypt: (plain, bound) => {
      const nonce = random.bytes(gcmNonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound);
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt: (sealed, bound) => {
      if (sealed.byteLength < gcmNonceBytes + gcmTagBytes) throw tooShort();
      const end = sealed.byteLength - gcmTagBytes;
      const cipher = createDecipheriv(algorithm, key, sealed.subarray(0, gcmNonceBytes));
      cipher.setAAD(bound).setAuthTag(sealed.subarray(end));
      return Buffer.concat([cipher.update(sealed.subarray(gcmNonceBytes, end)), cipher.final()]);
    },
  };
}

function makeAesCbc(key: Uint8Array, random: Pick<Random, "bytes">): KeyedCipher {
  const algorithm = `aes-${key.byteLength * 8}-cbc`;
  return {
    encrypt: (plain) => {
      const iv = random.bytes(blockBytes);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
    },
    decrypt: (sealed) => {
      if (sealed.byteLength < 2 * blockBytes) throw tooShort();
      const cipher = createDecipheriv(algorithm, key, sealed.subarray(0, blockBytes));
      return Buffer.concat([cipher.update(sealed.subarray(blockBytes)), cipher.final()]);
    },
  };
}

function makeSecretbox(key: Uint8Array, random: Pick<Random, "bytes">): KeyedCipher {
  return {
    encrypt: (plain) => {
      const nonce = random.bytes(boxNonceBytes);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
    },
    decrypt: (sealed) => {
      if (sealed.byteLength < boxNonceBytes) throw tooShort();
      return xsalsa20poly1305(key, sealed.subarray(0, boxNonceBytes)).decrypt(sealed.subarray(boxNonceBytes));
    },
  };
}

function tooShort(): Error {
  return new Error("the stored data was shorter than the required size");
}

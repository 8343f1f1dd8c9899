import { parseValue } from "./committed-values.ts";

/**
 * Number of last revisions whose objects are retained; a later message of an older revision is
 * parsed again.
 */
const rememberedMax = 128;

interface Remembered {
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly object: object;
}

export interface ReadOnceOptions {
  /**
   * Objects are frozen, so that a reader that changes a shared object gets a TypeError. Default
   * false, because freezing takes time.
   */
  frozen?: boolean | undefined;
}

/**
 * Parses each committed object once for all its readers: the checks, and the informers of every
 * process. The readers may share an object because they never modify it. If the bytes differ, as
 * after a restored backup, the revision is not sufficient.
 */
export class ReadOnce {
  readonly #isFrozen: boolean;
  readonly #remembered = new Map<number, Remembered>();

  constructor({ frozen = false }: ReadOnceOptions = {}) {
    this.#isFrozen = frozen;
  }

  /**
   * Returns the object committed at `revision`.
   * @throws SyntaxError for invalid JSON.
   */
  read<T extends object>(bytes: Uint8Array, revision: number): T {
    const slot = revision % rememberedMax;
    const known = this.#remembered.get(slot);
    if (known?.revision === revision && Buffer.compare(known.bytes, bytes) === 0) return known.object as T;
    const object = parseValue<T>(bytes);
    if (this.#isFrozen) freeze(object);
    this.#remembered.set(slot, { revision, bytes, object });
    return object;
  }
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

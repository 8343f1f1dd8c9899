import { parseValue } from "./reading.ts";

/** Keeps the objects of so many last revisions: a message that is later than that is read again. */
const rememberedMax = 128;

interface Remembered {
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly object: object;
}

export interface ReadOnceOptions {
  /**
   * Objects are frozen, so that a reader that changes a shared one gets a TypeError. Default false:
   * that takes time.
   */
  frozen?: boolean | undefined;
}

/**
 * Parses each committed object once for all its readers: the checks, and the informers of every
 * process. They may share it because none of them may modify it. Where the bytes differ, as after a
 * restored backup, the revision alone proves nothing.
 */
export class ReadOnce {
  readonly #isFrozen: boolean;
  readonly #remembered = new Map<number, Remembered>();

  constructor({ frozen = false }: ReadOnceOptions = {}) {
    this.#isFrozen = frozen;
  }

  /**
   * Returns the object committed at `revision`.
   * @throws SyntaxError when it is no JSON.
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

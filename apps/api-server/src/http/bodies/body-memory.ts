import { tooManyRequests } from "@kintsugi/api";

/**
 * Limit for all bodies that are being read and handled: 40 bodies of the maximum length. A process
 * at rest uses less memory than this limit.
 */
const totalBytesMax = 128 * 1024 * 1024;

/**
 * The limit of one user: ten of the longest bodies at the same time, so that a user at its limit
 * leaves memory for other users.
 */
const userBytesMax = 32 * 1024 * 1024;

/**
 * Shorter bodies are not counted, so Leases and states of nodes are always accepted, however much
 * other clients send.
 */
const smallBodyBytes = 64 * 1024;

/** The memory for the body of one request, until the request is answered. */
export interface BodyRoom {
  /** @throws ApiError TooManyRequests when bodies already use the allowed memory. */
  readonly take: (bytes: number) => void;
  readonly leave: () => void;
}

/** Limits the memory of bodies, because every authenticated user may send some. */
export class BodyMemory {
  #total = 0;
  readonly #byUser = new Map<string, number>();

  room(user: string): BodyRoom {
    let taken = 0;
    return {
      take: (bytes) => {
        taken += bytes;
        if (taken <= smallBodyBytes) return;
        // The body was small until now, so its earlier bytes are counted from now on, too.
        const counted = taken - bytes <= smallBodyBytes ? taken : bytes;
        if (this.#total + counted > totalBytesMax || (this.#byUser.get(user) ?? 0) + counted > userBytesMax) {
          taken -= bytes;
          throw tooManyRequests("Too many bytes of requests are being read, please try again later.");
        }
        this.#add(user, counted);
      },
      leave: () => {
        if (taken > smallBodyBytes) this.#add(user, -taken);
        taken = 0;
      },
    };
  }

  #add(user: string, bytes: number): void {
    this.#total += bytes;
    const ofUser = (this.#byUser.get(user) ?? 0) + bytes;
    if (ofUser === 0) this.#byUser.delete(user);
    else this.#byUser.set(user, ofUser);
  }
}

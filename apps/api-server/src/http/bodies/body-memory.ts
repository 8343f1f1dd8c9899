import { tooManyRequests } from "@kintsugi/api";

/**
 * Bodies that are being read and worked on, all together: 40 of the longest. A process at rest
 * takes less than that.
 */
const totalBytesMax = 128 * 1024 * 1024;

/**
 * The limit of one user: ten of the longest bodies at the same time, so that a user at its limit
 * leaves room for others.
 */
const userBytesMax = 32 * 1024 * 1024;

/**
 * Shorter ones are not counted: Leases and states of nodes are always taken, however much others
 * send.
 */
const smallBodyBytes = 64 * 1024;

const retryAfterSeconds = 1;

/** Room for the body of one request, until it is answered. */
export interface BodyRoom {
  /** @throws ApiError TooManyRequests when bodies already take as much memory as they may. */
  readonly take: (bytes: number) => void;
  readonly leave: () => void;
}

/** Bounds the memory that bodies take: every authenticated user may send some. */
export class BodyMemory {
  #total = 0;
  readonly #byUser = new Map<string, number>();

  room(user: string): BodyRoom {
    let taken = 0;
    return {
      take: (bytes) => {
        taken += bytes;
        if (taken <= smallBodyBytes) return;
        // The bytes before it counted as small; they count from now on.
        const counted = taken - bytes <= smallBodyBytes ? taken : bytes;
        if (this.#total + counted > totalBytesMax || (this.#byUser.get(user) ?? 0) + counted > userBytesMax) {
          taken -= bytes;
          throw tooManyRequests(
            "Too many bytes of requests are being read, please try again later.",
            retryAfterSeconds,
          );
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

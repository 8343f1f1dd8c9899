import { onAbort } from "@kintsugi/clock";

interface Waiting {
  readonly start: () => void;
}

/**
 * Runs one piece of work at a time. Users take turns, so a user with many pieces delays only
 * itself. The callers limit the number of waiting pieces.
 */
export class UserLane {
  /** Ordered by turn: the user whose turn is next is first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isTaken = false;

  /** Resolves when the lane is free for this user. @throws the signal's reason. */
  async enter(user: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#isTaken) await this.#wait(user, signal);
    this.#isTaken = true;
    let hasLeft = false;
    return {
      [Symbol.dispose]: () => {
        if (!hasLeft) this.#leave();
        hasLeft = true;
      },
    };
  }

  #wait(user: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          forget();
          resolve();
        },
      };
      const forget = onAbort(signal, () => {
        this.#remove(user, waiting);
        reject(signal.reason as Error);
      });
      const others = this.#waiting.get(user);
      if (others === undefined) this.#waiting.set(user, [waiting]);
      else others.push(waiting);
    });
  }

  #remove(user: string, waiting: Waiting): void {
    const left = (this.#waiting.get(user) ?? []).filter((other) => other !== waiting);
    if (left.length === 0) this.#waiting.delete(user);
    else this.#waiting.set(user, left);
  }

  /** Reserves the lane for the next work, so that no other work starts in between. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    const [user, [first, ...others]] = next;
    this.#waiting.delete(user);
    // The user's remaining work is queued behind the work of all other users.
    if (others.length > 0) this.#waiting.set(user, others);
    first?.start();
  }
}

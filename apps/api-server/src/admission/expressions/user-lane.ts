import { onAbort } from "@kintsugi/clock";

interface Waiting {
  readonly start: () => void;
}

/**
 * Lets one piece of work run at a time, and users take turns: a user with many pieces waits for
 * itself. The callers limit how many wait.
 */
export class UserLane {
  /** The user whose turn is next is first. */
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

  /** The next work has the lane from now on, so that no other comes in between. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    const [user, [first, ...others]] = next;
    this.#waiting.delete(user);
    // The user's other work waits behind that of all other users.
    if (others.length > 0) this.#waiting.set(user, others);
    first?.start();
  }
}

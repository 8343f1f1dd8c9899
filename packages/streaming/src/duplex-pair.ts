import { Duplex } from "node:stream";

/** Two ends of a connection within the process, whose directions end separately as in TCP. */
export function duplexPair(): [Duplex, Duplex] {
  const one: End = new End(() => other);
  const other: End = new End(() => one);
  return [one, other];
}

class End extends Duplex {
  readonly #other: () => End;
  #delivered: (() => void) | undefined;

  constructor(other: () => End) {
    super({ allowHalfOpen: true });
    this.#other = other;
  }

  // Node's HTTP and the relays set these options on every connection; an in-process connection
  // ignores them.
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  override _read(): void {
    const delivered = this.#delivered;
    this.#delivered = undefined;
    delivered?.();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const other = this.#other();
    if (other.destroyed) return done();
    if (other.push(bytes)) done();
    else other.#delivered = done;
  }

  override _final(done: () => void): void {
    const other = this.#other();
    if (!other.destroyed) other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other();
    if (!other.destroyed) queueMicrotask(() => other.destroy());
    this._read();
    done(error);
  }
}

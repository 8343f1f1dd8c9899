import type { Clock } from "@kintsugi/clock";
import type { PodSandbox, PodSandboxConfig, PodSandboxStatus } from "../../messages/sandbox.ts";

export class FakeSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly #createdAtMs: number;
  /** Released when the sandbox stops. */
  ip: string;
  ready = true;

  constructor(clock: Clock, spec: { id: string; config: PodSandboxConfig; ip: string }) {
    this.id = spec.id;
    this.config = spec.config;
    this.ip = spec.ip;
    this.#createdAtMs = clock.nowMs();
  }

  summary(): PodSandbox {
    const { metadata, labels, annotations } = this.config;
    return {
      id: this.id,
      metadata: { ...metadata },
      ready: this.ready,
      createdAtMs: this.#createdAtMs,
      labels: { ...labels },
      annotations: { ...annotations },
    };
  }

  status(): PodSandboxStatus {
    const { id, metadata, ready, createdAtMs, labels, annotations } = this.summary();
    return {
      id,
      metadata,
      ready,
      createdAtMs,
      labels,
      annotations,
      ip: this.ip,
      additionalIps: [],
      namespaces: { ...this.config.linux.namespaces },
    };
  }
}

/**
 * Allocates pod addresses as CNI's host-local does: the address after the last allocated address,
 * so that an address rests before it is used again.
 */
export class AddressPool {
  readonly #base: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  /** The address .0 belongs to the network, and .1 belongs to the bridge. */
  #last = 1;

  constructor(cidr: string) {
    const [address = "", prefix = "24"] = cidr.split("/");
    this.#base = address.split(".").reduce((number, byte) => number * 256 + Number(byte), 0);
    this.#size = 2 ** (32 - Number(prefix));
  }

  /** Undefined when all addresses are used. */
  take(): string | undefined {
    let next = this.#last;
    for (let tries = 0; tries < this.#size; tries++) {
      next = next + 1 < this.#size - 1 ? next + 1 : 2;
      if (this.#used.has(next)) continue;
      this.#used.add(next);
      this.#last = next;
      return this.#format(next);
    }
    return undefined;
  }

  release(ip: string): void {
    for (const offset of this.#used) if (this.#format(offset) === ip) this.#used.delete(offset);
  }

  #format(offset: number): string {
    const number = this.#base + offset;
    return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
  }
}

import type { Logger } from "@kintsugi/api";
import { runCommand } from "@kintsugi/daemon";
import type { PassedBalancer } from "./passed-ports.ts";
import { type PassingOptions, passingScript } from "./passing-script.ts";

/** Programs of this host, in its own network namespace. */
export type RunProgram = (program: string, args: readonly string[], input?: string) => Promise<unknown>;

/** Makes the kernel of this host forward packets of load balancers. */
export class PacketFilter {
  readonly #deps: { log: Logger; run: RunProgram };
  readonly #options: PassingOptions;
  #turn: Promise<void> = Promise.resolve();
  /** The script that the kernel has; undefined before the first script. */
  #script: string | undefined;
  #failure: string | undefined;
  #broken = new Set<string>();

  constructor(deps: { log: Logger; run?: RunProgram }, options: PassingOptions) {
    this.#deps = { run: runHere, ...deps };
    this.#options = options;
  }

  /** Forwards the packets of exactly these balancers. Changes are made one after another. */
  apply(balancers: readonly PassedBalancer[]): Promise<void> {
    this.#turn = this.#turn.then(() => this.#apply(balancers));
    return this.#turn;
  }

  async #apply(balancers: readonly PassedBalancer[]): Promise<void> {
    const script = passingScript(balancers, this.#options);
    if (script === this.#script) return;
    try {
      await this.#deps.run("nft", ["-f", "-"], script);
      this.#script = script;
      this.#failure = undefined;
    } catch (error) {
      this.#report(error);
    }
    await this.#forgetFlows(balancers);
  }

  /** The next round of checks retries, and one log line per kind of failure is enough. */
  #report(error: unknown): void {
    const text = String(error);
    if (text === this.#failure) return;
    this.#failure = text;
    this.#deps.log.warn("the packet filter cannot be changed, so some load balancers have no targets", { error });
  }

  /**
   * A UDP client that continues to send from one port remains with the node of its first packet
   * while the kernel has the flow. Without the program conntrack such a client is rejected until it
   * was silent for half a minute.
   */
  async #forgetFlows(balancers: readonly PassedBalancer[]): Promise<void> {
    const before = this.#broken;
    const pairs = balancers.flatMap(({ address, ports, unhealthy }) =>
      ports.some(({ protocol }) => protocol === "UDP") ? unhealthy.map((target) => [address, target.address]) : [],
    );
    this.#broken = new Set(pairs.map((pair) => pair.join(" ")));
    for (const [address = "", target = ""] of pairs)
      if (!before.has(`${address} ${target}`))
        await this.#deps
          .run("conntrack", ["-D", "-p", "udp", "--orig-dst", address, "--reply-src", target])
          // The program is not installed, or the flow did not exist.
          .catch((error: unknown) => this.#deps.log.debug("UDP flows were not deleted", { address, target, error }));
  }
}

async function runHere(program: string, args: readonly string[], input?: string): Promise<void> {
  await runCommand(program, args, input === undefined ? {} : { input });
}

import { configMaps, isApiError } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { prepareApiServer } from "../support/servers/api-server-process.ts";

export interface WritesReport {
  readonly acknowledged: number;
  readonly kills: number;
  /** A sentence for each lost acknowledged write, or object that no writer made. */
  readonly lost: readonly string[];
}

export interface WritesOptions {
  readonly seed: number;
  readonly kills: number;
  readonly signal: AbortSignal;
}

/** The clients that write at the same time; each writes to its own objects. */
const writers = 8;
/** Objects of a writer that are written repeatedly. */
const ring = 20;
/** The server is killed at a random moment in this period under load. */
const lifeMinMs = 200;
const lifeMaxMs = 6_000;

/** A start can take minutes at the lowest priority next to other work. */
const startMaxMs = 600_000;

/** The text of an object's last write; undefined when the object is absent. */
type Content = string | undefined;

/** The object of one name: its last acknowledged write, and later writes of unknown outcome. */
interface Known {
  acked: Content;
  maybe: Content[];
}

/**
 * Writes to an api-server on LevelDB, which is killed with kill -9 at random moments, and checks
 * after each death for every acknowledged write.
 */
export async function writeOverKills({ seed, kills, signal }: WritesOptions): Promise<WritesReport> {
  await using server = await prepareApiServer({ startMaxMs });
  const random = new SeededRandom(seed);
  const journal = new Journal(server.client, random);
  await server.start();
  let died = 0;
  while (died < kills && !signal.aborted && journal.lost.length === 0) {
    const load = journal.write();
    await new Promise((resolve) => setTimeout(resolve, lifeMinMs + random.integer(lifeMaxMs - lifeMinMs)));
    await server.kill();
    died++;
    await load;
    await server.start();
    await journal.compare(died);
  }
  return { acknowledged: journal.acknowledged, kills: died, lost: journal.lost };
}

/** Records the answers of the server, and compares them with its objects. */
export class Journal {
  readonly lost: string[] = [];
  acknowledged = 0;
  readonly #client: Pick<Client, "create" | "update" | "delete" | "list">;
  readonly #random: Random;
  readonly #known = new Map<string, Known>();
  #names = 0;
  #newestRevision = 0;

  constructor(client: Pick<Client, "create" | "update" | "delete" | "list">, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  /** Writes with all writers until each has had a write without an answer. */
  async write(): Promise<void> {
    await Promise.all(Array.from({ length: writers }, (_, writer) => this.#writeAs(writer)));
  }

  async #writeAs(writer: number): Promise<void> {
    while (await this.#step(writer));
  }

  /**
   * One write: a new object, or a change or deletion of an object of the ring. False: no answer
   * arrived.
   */
  async #step(writer: number): Promise<boolean> {
    const isNew = this.#random.integer(2) === 0;
    const name = isNew ? `once-${writer}-${this.#names++}` : `ring-${writer}-${this.#random.integer(ring)}`;
    const before = this.#known.get(name)?.acked;
    const isDeletion = !isNew && before !== undefined && this.#random.integer(8) === 0;
    const after = isDeletion ? undefined : `${this.#names++}-${"x".repeat(this.#random.integer(1000))}`;
    const known = this.#known.get(name) ?? { acked: undefined, maybe: [] };
    this.#known.set(name, known);
    known.maybe.push(after);
    try {
      await this.#send(name, before, after);
    } catch (error) {
      // An error answer is a fault of this driver or of the server; a missing answer is the kill.
      if (isApiError(error)) this.lost.push(`${name}: a write was refused: ${error.message}`);
      return false;
    }
    this.#known.set(name, { acked: after, maybe: [] });
    this.acknowledged++;
    return true;
  }

  async #send(name: string, before: Content, after: Content): Promise<void> {
    const key = { namespace: "default", name };
    if (after === undefined) return await this.#client.delete(configMaps, key, { timeoutMs: 30_000 });
    const object = { metadata: key, data: { text: after } };
    const write = before === undefined ? "create" : "update";
    const { metadata } = await this.#client[write](configMaps, object, { timeoutMs: 30_000 });
    this.#newestRevision = Math.max(this.#newestRevision, Number(metadata.resourceVersion));
  }

  /** Compares all objects; the result is the known state from then on. */
  async compare(death: number): Promise<void> {
    const { items, resourceVersion } = await this.#client.list(configMaps, { namespace: "default" });
    const found = new Map(items.map(({ metadata, data }) => [metadata.name ?? "", data?.["text"]]));
    if (Number(resourceVersion) < this.#newestRevision)
      this.lost.push(`death ${death}: the store is at ${resourceVersion}, before ${this.#newestRevision}`);
    for (const [name, { acked, maybe }] of this.#known) {
      const content = found.get(name);
      if (content !== acked && !maybe.includes(content))
        this.lost.push(`death ${death}: ${name} is ${shown(content)}, and ${shown(acked)} was acknowledged`);
      this.#known.set(name, { acked: content, maybe: [] });
    }
    for (const name of found.keys())
      if (/^(once|ring)-/.test(name) && !this.#known.has(name))
        this.lost.push(`death ${death}: no writer made ${name}`);
    await this.#forget(death);
  }

  /**
   * Deletes objects that are written only once, because they would make the store and the list
   * longer with each death.
   */
  async #forget(death: number): Promise<void> {
    if (death % 5 !== 0) return;
    for (const [name, { acked }] of this.#known) {
      if (!name.startsWith("once-")) continue;
      if (acked !== undefined) await this.#client.delete(configMaps, { namespace: "default", name });
      this.#known.delete(name);
    }
  }
}

function shown(content: Content): string {
  return content === undefined ? "absent" : `"${content.slice(0, 20)}"`;
}
